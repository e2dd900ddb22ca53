"""Days of a month without the month, in a text that names one: 'we fly on 4 October and come back on the 19th'."""

from __future__ import annotations

from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, Precision, day_label, month_away, one_day
from turnfold.dates.time_expression import Form, TimeExpression

_BARE: Final = lazy_pattern(r"(?i)\bthe (\d{1,2})(?:st|nd|rd|th)$")
_MONTH: Final = lazy_pattern(
    rf"\b(?:(?i:{'|'.join(name for name in MONTHS if name not in ('March', 'May'))})\b"
    r"|March\b|May\b(?! (?:I|we|you|the)\b)"
    r"|(?i:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d)"
)
"""A month in any case, except 'may' and 'march'."""
_SENTENCE: Final = lazy_pattern(r"[.!?]\s|\n")
_LONGEST_MONTH: Final = 31
_LOOKED: Final = 400
"""Code points on each side of a day that are searched for its sentence."""


def in_named_months(text: str, times: Sequence[TimeExpression], said_on: date) -> Iterator[TimeExpression]:
    """Yield times with each bare day of a month moved to the month that the text names last before it.

    A day is left out if its month is in doubt: its sentence names a month that is not understood, or one behind it, or
    the day would not be on the side of its clause.
    """
    named: TimeExpression | None = None
    starts = [time.start for time in times]
    for time in times:
        bare = _BARE.search(text, time.start, time.end) if time.form is Form.COUNTED else None
        if bare is None:
            named = time if _names_month(time) else named
            yield time
            continue
        moved = _moved(time, int(bare[1]), named, said_on) if named else time
        if moved is not None and not _names_other(text, time, times, starts, named):
            named = moved if named else None
            yield moved


def _names_month(time: TimeExpression) -> bool:
    """Whether a time lies within a month that its words name: a date, or 'next month'."""
    period = time.period
    if period is None or period.first is None or period.last is None:
        return False
    return period.days <= _LONGEST_MONTH and (time.form is Form.WRITTEN or period.precision is Precision.MONTH)


def _moved(time: TimeExpression, number: int, named: TimeExpression, said_on: date) -> TimeExpression | None:
    """Return a day of the month in the month of a time before it, or in the month after if that day is over by then."""
    last = named.period.last if named.period else None
    if named.period is None or last is None:
        return None
    is_dated = named.period.precision is not Precision.MONTH and not named.period.vague
    year, month = month_away(last, int(is_dated and number < last.day))
    if number > monthrange(year, month)[1]:
        return None
    day = date(year, month, number)
    is_on_side = day <= said_on if time.toward < 0 else day >= said_on
    if not is_on_side and named.toward != time.toward:
        return None
    return time._replace(periods=(one_day(day),), label=day_label(day))


def _names_other(
    text: str, time: TimeExpression, times: Sequence[TimeExpression], starts: Sequence[int],
    named: TimeExpression | None,
) -> bool:  # fmt: skip
    """Whether the sentence of a time names a month that is no time, or one behind it that is the only one.

    `times` do not overlap; `starts` are their places in the text.
    """
    first, last = max(0, time.start - _LOOKED), min(len(text), time.end + _LOOKED)
    start = max((end.end() for end in _SENTENCE.finditer(text, first, time.start)), default=first)
    stop = _SENTENCE.search(text, time.end, last)
    for month in _MONTH.finditer(text, start, stop.start() if stop else last):
        place = bisect_right(starts, month.start()) - 1
        is_time = place >= 0 and month.start() < times[place].end
        if not is_time or (named is None and month.start() > time.start):
            return True
    return False
