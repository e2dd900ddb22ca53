"""Days and periods close to a day: 'two hours ago', 'on the 23rd', 'last week', the next whole weekend."""

from __future__ import annotations

import math
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

from turnfold.contract.periods import (
    SATURDAY,
    WEEK,
    Period,
    Precision,
    month_away,
    one_day,
    week_of,
    weekend_of,
    whole_month,
    whole_year,
)
from turnfold.dates.numbers import count_of
from turnfold.dates.seasons import seasons_near

PAST: Final = ("last", "past", "previous", "this past", "earlier this")
COMING: Final = ("next", "coming", "upcoming", "the following", "this coming")
AWAY: Final = {"last": -1, "this": 0, "next": 1}
"""Offset of 'last', 'this' and 'next', in weeks, months or years."""
_OWN_DAY: Final = 12
"""Hours up to which 'hours ago' is assumed to be the same day, as the time of day is unknown."""
_HOURS: Final = 24
_MINUTES: Final = 60


def hours_ago(count: str, unit: str, day: date) -> Period:
    """Return the day that was a number of hours or minutes ago; 36 hours give a vague period of two days.

    >>> hours_ago("two", "hour", date(2026, 3, 11)).first
    datetime.date(2026, 3, 11)
    """
    least, greatest = count_of(count)
    parts = 1 if unit in ("hour", "hr") else _MINUTES
    hours = greatest / parts
    if hours <= _OWN_DAY:
        return one_day(day)
    first = day - timedelta(math.ceil(hours / _HOURS))
    if hours % _HOURS == 0 and least == greatest:
        return one_day(first)
    return Period(first, day - timedelta(int(least / parts / _HOURS)), Precision.WEEK, vague=True)


def day_of_month(number: int, which: str, day: date, toward: int) -> date:
    """Resolve 'the 23rd': the latest one up to `day` in a clause about the past, else the first one from `day` on.

    `which` is 'last', 'this' or 'next' if the text names the month so. Raises `ValueError` if no such month has the
    day.
    """
    nearest = (0, -1, -2) if toward < 0 else (0, 1, 2)
    for away in (AWAY[which],) if which else nearest:
        year, month = month_away(day, away)
        if number <= monthrange(year, month)[1]:
            found = date(year, month, number)
            if which or (found <= day if toward < 0 else found >= day):
                return found
    raise ValueError(f"no month that may be meant has a day {number}")


def days_to_weekday(number: int, day: date, sign: int) -> int:
    """Return the days, 1 to 7, to the nearest weekday `number` (Monday is 0) before (-1) or after (1) a day.

    >>> days_to_weekday(0, date(2026, 3, 11), -1), days_to_weekday(0, date(2026, 3, 11), 1)
    (2, 5)
    """
    return (sign * (number - day.weekday()) - 1) % WEEK + 1


def clear_weekend(day: date, sign: int, more: int) -> Period:
    """Return the nearest weekend that is entirely past (-1) or to come (1), or one that is `more` weekends further."""
    near = (1 if day.weekday() >= SATURDAY else 0) if sign > 0 else -1
    return weekend_of(day, near + sign * more)


def period_around(which: str, what: str, day: date) -> list[Period]:
    sign = -1 if which in PAST and which != "earlier this" else 1 if which in COMING else 0
    if what == "week":
        last = Period(day - timedelta(WEEK), day - timedelta(1), Precision.WEEK)
        return [week_of(day, sign), *([last] if sign < 0 else [])]
    if what == "month":
        return [whole_month(*month_away(day, sign))]
    if what == "quarter":
        first = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        return [whole_month(*month_away(first, 3 * sign), month_away(first, 3 * sign + 2))]
    if what == "year":
        return [whole_year(day.year + sign)]
    return seasons_near(what, sign, day)
