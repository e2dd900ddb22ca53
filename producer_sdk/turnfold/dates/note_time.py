"""The single time that a statement is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.note_times import NoteTime
from turnfold.contract.periods import day_label, one_day
from turnfold.dates.direction import INTENDS
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, Kind, TimeExpression

_LASTS: Final = lazy_pattern(r"(?i)\b(?:until|till|up to) (?:the )?$")
"""Words before the end of a validity; 'by Friday', in contrast, is a deadline."""

_LATE: Final = lazy_pattern(r"(?i)\b(?:tonight|this evening|later today)\b")
_WILL: Final = lazy_pattern(rf"(?i)\b(?:{INTENDS})\b|['\u2019]ll\b")
"""Words about something later on the same day, unlike 'I'm working on it today'."""


def time_of(said: str, said_on: date | None) -> NoteTime | None:
    """Return the time of a statement made on a day; None if it names none, or more than one.

    >>> time_of("I signed the lease yesterday.", date(2026, 5, 14))[:4]
    ('13 May 2026', datetime.date(2026, 5, 13), datetime.date(2026, 5, 13), 'day')
    """
    every = time_expressions(said, said_on)
    times = [time for time in every if time.label or time.kind is Kind.RECURRING]
    if not times and said_on is not None:
        return _on_own_day(said, said_on, every)
    return _time(said, said_on, times[0]) if len({time.periods for time in times}) == 1 else None


def _on_own_day(statement: str, said_on: date, times: Sequence[TimeExpression]) -> NoteTime | None:
    """Return the time of a statement about its own day: 'this morning', 'an hour ago', 'tonight'."""
    own_day = one_day(said_on)
    time = next((time for time in times if time.kind is Kind.WHEN and time.period == own_day), None)
    if time is None:
        return None
    is_late = _LATE.search(statement, max(0, time.start - 6), time.end) is not None
    is_plan = time.toward > 0 and (is_late or _WILL.search(statement) is not None)
    return NoteTime(day_label(said_on), said_on, said_on, own_day.precision.value, is_plan)


def _time(statement: str, said_on: date | None, time: TimeExpression) -> NoteTime:
    if time.form is Form.RECURRING or time.period is None:
        return NoteTime(statement[time.start : time.end].lower(), precision=Kind.RECURRING.value)
    period = time.period
    # A future time makes a plan until something says that it happened, but "I'll remember 2019" is none.
    is_past = period.last is not None and said_on is not None and period.last < said_on
    is_to_come = time.toward > 0 or (period.first is not None and said_on is not None and period.first > said_on)
    lasts = _LASTS.search(statement, max(0, time.start - 12), time.start) is not None
    is_plan = is_to_come and time.kind is not Kind.SINCE and not is_past and not lasts
    return NoteTime(
        f"until {time.label}" if lasts else time.meaning, period.first, period.last, period.precision.value, is_plan,
        # 'Not before 3 May' is true at once.
        valid_from=period.first if time.kind is Kind.SINCE and time.side != "from" else None,
        valid_to=period.last if lasts else None,
    )  # fmt: skip
