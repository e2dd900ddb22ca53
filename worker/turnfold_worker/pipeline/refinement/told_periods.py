"""Resolve the times mentioned in a turn to days, counted from the day on which the turn was said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import SATURDAY, Period, one_day, weekend_of
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form
from turnfold.dates.written import WRITTEN, has_year, written_periods

_LATER: Final = lazy_pattern(r"(?i)(?<=s )later\b")
_WEEKEND: Final = lazy_pattern(r"(?i)\bweekend\b")


def periods_told(text: str, said_on: date | None) -> Iterator[Period]:
    """Yield all periods that the times of a text may mean; for 'since' or 'until' a day, that day."""
    # 'Two days later' may be counted from the turn's own day.
    text = _LATER.sub("from now", text)
    times = time_expressions(text, said_on)
    counted = [(time.start, time.end) for time in times if time.form is Form.COUNTED]
    for match in WRITTEN.finditer(text):
        # The 'summer' in 'last summer' is not a date of its own.
        if has_year(match) or not any(start < match.start() < end for start, end in counted):
            yield from written_periods(match, said_on)
    if said_on is not None and _WEEKEND.search(text):
        yield from (weekend_of(said_on, weeks) for weeks in range(-1, said_on.weekday() >= SATURDAY))
    for time in times:
        for period in time.periods:
            if period.days:
                yield period
            elif (end := period.first or period.last) is not None:
                yield one_day(end)
        if not any(period.days for period in time.periods):
            # Not of a time with days: its label, 'Thursday before 9 June', has the day on which it was said.
            yield from _written_in(time.label)


def _written_in(label: str) -> Iterator[Period]:
    """Yield the dates in the label of a time: 'since 2019' begins somewhere in that year."""
    for match in WRITTEN.finditer(label):
        yield from written_periods(match, None)
