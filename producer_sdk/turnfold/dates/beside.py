"""Times relative to another time in the text: 'the week before 9 June', 'between May and July', '3 May to 5 June'."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import WEEK, WEEKDAYS, Period, Precision, one_day, week_of, weekday_number, weekend_of
from turnfold.dates.near_days import clear_weekend, days_to_weekday
from turnfold.dates.numbers import COUNT, count_of, whole_units

_NAMES: Final = "|".join(WEEKDAYS)
BESIDE: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:the )?(?:(?:(?P<count>{COUNT}) )?(?P<unit>day|night|week|weekend|month|year)s?"
    rf"|(?P<weekday>{_NAMES}))"
    r" (?P<side>before|after|of|from) (?:the )?$"
)
"""Words before a time that shift it: 'the Friday before', 'two weeks after', 'the weekend of'."""
WEEKDAY_OF: Final = lazy_pattern(rf"(?i)\b(?:{_NAMES}|mon|tues?|weds?|thu(?:rs)?|fri|sat|sun)\.?,? (?:the )?$")
"""A weekday before the same day's date: 'Friday, 13 October'."""
RANGE: Final = lazy_pattern(r"(?i)^ ?(?:to|until|till|through|thru|[-\u2013\u2014]) ?(?:about |around )?(?:the )?$")
"""Words between the beginning and the end of a period."""
BETWEEN: Final = lazy_pattern(r"(?i)\bbetween (?:the )?$")
_DAYS: Final = {"day": 1, "night": 1, "week": WEEK, "weekend": WEEK, "month": 31, "year": 366}


def beside(match_count: str | None, unit: str | None, weekday: str | None, side: str, anchor: Period) -> Period | None:
    """Return the period that a match of `BESIDE` means relative to `anchor`.

    None if the anchor is open-ended or the period is outside the calendar.
    """
    first, last = anchor.first, anchor.last
    if first is None or last is None:
        return None
    try:
        if weekday:
            return _weekday_beside(weekday, side.lower(), first, last)
        return _unit_beside(match_count, (unit or "").lower(), side.lower(), first, last)
    except (ValueError, OverflowError):
        return None


def _weekday_beside(weekday: str, side: str, first: date, last: date) -> Period:
    number = weekday_number(weekday)
    if side == "before":
        return one_day(first - timedelta(days_to_weekday(number, first, -1)))
    if side == "after":
        return one_day(last + timedelta(days_to_weekday(number, last, 1)))
    return one_day(first + timedelta(number - first.weekday()))


def _unit_beside(count: str | None, unit: str, side: str, first: date, last: date) -> Period | None:
    if side == "of" and not count:
        return _unit_of(unit, first, last)
    if side in ("of", "from"):
        return None
    count, unit = whole_units(count or "one", unit)
    least, greatest = count_of(count)
    span = _DAYS[unit]
    if unit in ("day", "night"):
        ends = sorted(
            (first - timedelta(least), first - timedelta(greatest))
            if side == "before"
            else (last + timedelta(least), last + timedelta(greatest))
        )
        return Period(ends[0], ends[1], Precision.DAY if least == greatest else Precision.WEEK, least != greatest)
    if unit == "weekend":
        return clear_weekend(first, -1, least - 1) if side == "before" else clear_weekend(last, 1, least - 1)
    precision = Precision.WEEK if unit == "week" else Precision.MONTH if unit == "month" else Precision.YEAR
    if side == "before":
        return Period(
            first - timedelta(span * greatest), first - timedelta(span * (least - 1) + 1), precision, vague=True
        )
    return Period(last + timedelta(span * (least - 1) + 1), last + timedelta(span * greatest), precision, vague=True)


def _unit_of(unit: str, first: date, last: date) -> Period:
    """Resolve 'the week of 9 June'; of a range, as in 'the weekend of 15-16 July', return the range itself."""
    if first == last and unit in ("week", "weekend"):
        return weekend_of(first) if unit == "weekend" else week_of(first)
    return Period(first, last)
