"""Seasons relative to a day: 'last summer', 'two winters ago'."""

from __future__ import annotations

from datetime import date

from turnfold.contract.periods import Period, Precision
from turnfold.dates.numbers import count_of
from turnfold.dates.written import days_away, season_of


def seasons_near(season: str, sign: int, day: date) -> list[Period]:
    """Return the seasons that 'last' (-1), 'this' (0) or 'next' (1) may mean, best first."""
    if sign:
        return _away(season, sign, day, 2)
    around = [season_of(season, year) for year in range(day.year - 1, day.year + 2)]
    return [min(around, key=lambda period: days_away(period, day, 0))]


def seasons_away(count: str, season: str, day: date, sign: int) -> Period:
    """Resolve 'two summers ago' to the last but one that is over; 'a few' gives all days that may be meant.

    >>> seasons_away("two", "summer", date(2026, 3, 11), -1).first
    datetime.date(2024, 6, 1)
    """
    least, greatest = count_of(count)
    away = _away(season, sign, day, greatest)
    near, far = away[least - 1], away[greatest - 1]
    if near == far:
        return near
    return Period(min(near, far).first, max(near, far).last, Precision.YEAR, vague=True)


def _away(season: str, sign: int, day: date, many: int) -> list[Period]:
    """Return the `many` nearest seasons that are over (-1) or have not begun (1), nearest first."""
    seasons = (season_of(season, day.year + sign * years) for years in range(-1, many + 2))
    return [period for period in seasons if _is_clear(period, sign, day)][:many]


def _is_clear(period: Period, sign: int, day: date) -> bool:
    first, last = period.first or date.min, period.last or date.max
    return last < day if sign < 0 else first > day
