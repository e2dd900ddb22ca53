"""Days, weeks, months and years as periods with a precision. Pure, without a clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEK: Final = 7
SATURDAY: Final = 5
YEAR_MONTHS: Final = 12


class Precision(StrEnum):
    """The precision of a stated time; `open` has no beginning or no end."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    OPEN = "open"


class Period(NamedTuple):
    """The days from first to last, inclusive; None leaves that side open."""

    first: date | None
    last: date | None
    precision: Precision = Precision.DAY
    vague: bool = False
    """Whether the time is an unknown part of the period: 'a few weeks ago'."""

    @property
    def days(self) -> int:
        """Number of days; 0 for an open period."""
        return 0 if self.first is None or self.last is None else (self.last - self.first).days + 1

    def holds(self, other: Period) -> bool:
        """Whether this period contains another one."""
        return (self.first is None or (other.first is not None and self.first <= other.first)) and (
            self.last is None or (other.last is not None and other.last <= self.last)
        )

    def meets(self, other: Period) -> bool:
        """Whether two periods overlap."""
        return (self.first is None or other.last is None or self.first <= other.last) and (
            self.last is None or other.first is None or other.first <= self.last
        )

    def same_days(self, other: Period) -> bool:
        """Whether two periods have the same ends, whatever their precision."""
        return self[:2] == other[:2]


def as_utc(moment: datetime) -> datetime:
    """Convert a moment to UTC; a naive one is taken as UTC, since a local zone would differ between workers."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def weekday_number(shown: str) -> int:
    """Parse a weekday by the first three letters of its name; Monday is 0."""
    return next(number for number, name in enumerate(WEEKDAYS) if name[:3].lower() == shown[:3].lower())


def day_label(day: date) -> str:
    """Format a day unambiguously in every locale.

    >>> day_label(date(2026, 5, 14))
    '14 May 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def one_day(day: date) -> Period:
    """Return a period of a single day."""
    return Period(day, day, Precision.DAY)


def month_away(day: date, months: int) -> tuple[int, int]:
    """Return the year and month a number of months after, or if negative before, the month of a day."""
    at = day.year * YEAR_MONTHS + day.month - 1 + months
    return at // YEAR_MONTHS, at % YEAR_MONTHS + 1


def whole_month(year: int, month: int, last: tuple[int, int] | None = None) -> Period:
    """Return a month as a period, or the period to the end of another `(year, month)`.

    Raises `ValueError` for a year outside the range of `date`.
    """
    end_year, end_month = last or (year, month)
    following = date(end_year + end_month // YEAR_MONTHS, end_month % YEAR_MONTHS + 1, 1)
    return Period(date(year, month, 1), following - timedelta(days=1), Precision.MONTH)


def whole_year(year: int) -> Period:
    """Return a year as a period. Raises `ValueError` for one outside the range of `date`."""
    return Period(date(year, 1, 1), date(year, YEAR_MONTHS, 31), Precision.YEAR)


def week_of(day: date, weeks: int = 0) -> Period:
    """Return the week of a day, Monday to Sunday, or the one a number of weeks later."""
    monday = day - timedelta(days=day.weekday()) + timedelta(days=WEEK * weeks)
    return Period(monday, monday + timedelta(days=6), Precision.WEEK)


def weekend_of(day: date, weeks: int = 0) -> Period:
    """Return the weekend of a day's week, or the one a number of weeks later."""
    saturday = day - timedelta(days=day.weekday() - SATURDAY) + timedelta(days=WEEK * weeks)
    return Period(saturday, saturday + timedelta(days=1), Precision.WEEK)


def period_label(period: Period) -> str:
    """Format a period in words.

    >>> period_label(whole_month(2023, 6))
    'June 2023'
    >>> period_label(Period(date(2022, 12, 1), None, Precision.OPEN))
    'since 1 December 2022'
    """
    first, last = period.first, period.last
    if first is None or last is None:
        return f"since {day_label(first)}" if first else f"until {day_label(last)}" if last else ""
    if first == last:
        return day_label(first)
    if first.replace(month=1, day=1) == first and last.replace(month=YEAR_MONTHS, day=31) == last:
        return str(first.year) if first.year == last.year else f"{first.year} to {last.year}"
    if first.day == 1 and (last + timedelta(days=1)).day == 1:
        return months_label(first, last)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {day_label(last)}"
    return f"{day_label(first)} to {day_label(last)}"


def months_label(first: date, last: date) -> str:
    """Format the range of months from one day to another.

    >>> months_label(date(2023, 5, 8), date(2023, 7, 12))
    'May to July 2023'
    """
    end = f"{MONTHS[last.month - 1]} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return end
    return f"{MONTHS[first.month - 1]}{'' if first.year == last.year else f' {first.year}'} to {end}"
