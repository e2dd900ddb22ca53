"""Whether the times in a text have passed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import WEEK, Precision
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, TimeExpression
from turnfold.dates.written import WRITTEN, has_year, written_period

_HABIT: Final = lazy_pattern(r"(?i)(?<!\w)(?:always|never|whenever|from now on)(?!\w)")
_ANY_DAY: Final = date(2001, 6, 13)
"""An arbitrary day: whether a text names a day does not depend on when it was written."""


def day_of(label: str) -> date | None:
    """Parse a label like '2 March 2026'; None for any other text.

    >>> day_of("2 March 2026")
    datetime.date(2026, 3, 2)
    """
    match = WRITTEN.fullmatch(label)
    period = None if match is None or not has_year(match) else written_period(match, None)
    return period.first if period is not None and period.days == 1 else None


def names_near_day(text: str) -> bool:
    """Whether a text has a relative time, such as 'tomorrow' or 'next week', and nothing that recurs."""
    times = time_expressions(text, _ANY_DAY)
    return any(time.form is Form.COUNTED for time in times) and not _recurs(text, times)


def has_passed(text: str, said_on: date, today: date) -> bool:
    """Whether every time in a text of the day `said_on` is before `today`; False if it has none, or a recurring one.

    >>> has_passed("I'll bring it tomorrow.", date(2026, 3, 2), date(2026, 3, 3))
    False
    >>> has_passed("I'll bring it tomorrow.", date(2026, 3, 2), date(2026, 5, 1))
    True
    """
    times = time_expressions(text, said_on)
    if _recurs(text, times):
        return False
    ends: list[date] = []
    for time in times:
        last = [period.last for period in time.periods if period.last is not None]
        if not last:
            return False
        # A time that is less precise than a day gets a week more.
        slack = timedelta(0 if time.periods[0].precision is Precision.DAY else WEEK)
        ends.append(max(last) + slack)
    return bool(ends) and max(ends) < today


def _recurs(text: str, times: Sequence[TimeExpression]) -> bool:
    return any(time.form is Form.RECURRING for time in times) or _HABIT.search(text) is not None
