"""Times of several words: 'the Friday before last', 'Tuesday of last week', 'the last Friday in June'."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import (
    MONTHS,
    SATURDAY,
    WEEK,
    WEEKDAYS,
    Period,
    Precision,
    day_label,
    month_away,
    one_day,
    period_label,
    week_of,
    weekday_number,
    whole_month,
    whole_year,
)
from turnfold.dates.near_days import AWAY, day_of_month, days_to_weekday
from turnfold.dates.numbers import COUNT, count_of, whole_units
from turnfold.dates.seasons import seasons_away
from turnfold.dates.written import SEASONS, days_away, month_of, part_of_month, quarter_of, season_of

_DAY: Final = "|".join(WEEKDAYS)
_NTH: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_MONTH: Final = rf"(?P<month>(?-i:{'|'.join(MONTHS)}))(?:,? (?P<year>(?:19|20)\d\d))?|(?P<which>this|last|next) month"
_PART: Final = r"(?P<part>early|mid|late)[- ]"
COMPOSED: Final = lazy_pattern(
    r"(?i)(?<![\w.,/$~<>\u2013-])(?:"
    rf"(?:the )?(?P<beyond>{_DAY}|{'|'.join(SEASONS)}) (?P<side>before last|after next)"
    rf"|(?P<day_of>{_DAY}) (?:of )?(?P<its_week>last|this|next) week"
    rf"|(?P<week_of>last|this|next) week,? on (?P<on_day>{_DAY})"
    rf"|(?:the )?(?P<nth>{'|'.join(_NTH)}) (?P<nth_unit>{_DAY}|week|weekend|half) (?:in|of) (?:{_MONTH})"
    rf"|(?P<count>{COUNT}) (?P<unit>day|week|fortnight|month|year)s? (?:(?:from|on|after) )?"
    rf"(?P<anchor>today|tomorrow|(?<=from )(?:{_DAY})|(?<=on )(?:{_DAY}))"
    rf"|(?P<ago>{COUNT}) (?P<ago_unit>day|week|fortnight|month|year)s? ago (?P<to_the_day>today|yesterday)"
    r"|(?:the )?(?:night|morning|evening|afternoon) of the (?P<ordinal>[12]?\d|3[01])(?:st|nd|rd|th)"
    rf"|(?P<in>in )?(?P<halves>{COUNT}) (?:(?P<half_unit>week|month|year) and a half|"
    r"and a half (?P<half_units>weeks|months|years))(?(in)(?: from now)?| (?P<half_side>ago|from now|earlier|back))"
    rf"|(?P<ahead>for|over|during|within|in) the next (?P<ahead_count>{COUNT}) (?P<ahead_unit>day|week|month|year)s?"
    rf"|{_PART}(?P<part_which>this|last|next) (?P<part_of>week|month|year)"
    rf"|(?:the )?(?P<in_year>(?-i:{'|'.join(MONTHS)})|{'|'.join(SEASONS)}|q[1-4]) (?:of )?"
    r"(?P<its_year>last|this|next) year"
    r"|this time (?P<same>last|next) (?P<same_unit>week|month|year)"
    r")(?![\w-]|['\u2019]\w)"
)
"""Each alternative has its own named groups; shorter expressions are in `relative` and `written`."""
_DAYS: Final = {"day": 1, "week": WEEK, "fortnight": 2 * WEEK}
_MONTHS: Final = {"month": 1, "year": 12}
_HALF_MONTH: Final = 15


class ComposedTime(NamedTuple):
    """The resolved meaning of a composed time."""

    period: Period
    label: str
    """The time in absolute words."""
    may_stand: bool = False
    """Whether the label can replace the words in a sentence: a day, 'summer 2024', 'late 2025'."""
    has_year: bool = False
    """Whether the words are absolute, because they include the year."""
    until: bool = False
    """Whether any day up to the end is meant: 'within the next two weeks'."""


def composed_time(match: re.Match[str], said_on: date, toward: int = 0) -> ComposedTime | None:
    """Resolve a match of `COMPOSED` in a text of the day `said_on`; None for a day that does not exist.

    `toward` is -1 in a clause about the past, 1 about the future, 0 if unknown.
    """
    groups = {name: words.lower() for name, words in match.groupdict().items() if words}
    meaning = next(meaning for sign, meaning in _MEANINGS.items() if sign in groups)
    try:
        return meaning(groups, said_on, toward)
    except (ValueError, OverflowError):
        return None


def _day(day: date) -> ComposedTime:
    return ComposedTime(one_day(day), day_label(day), may_stand=True)


def _around(day: date, days: int) -> ComposedTime:
    """Return the vague period of `days` days on either side of a day."""
    period = Period(day - timedelta(days), day + timedelta(days), Precision.WEEK, vague=True)
    return ComposedTime(period, f"around {day_label(day)}")


def _beyond(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'the Friday before last', 'the summer after next'."""
    sign = -1 if groups["side"] == "before last" else 1
    if groups["beyond"] in SEASONS:
        season = seasons_away("two", groups["beyond"], day, sign)
        return ComposedTime(season, f"{groups['beyond']} {(season.first or day).year}", may_stand=True)
    return _day(_next_weekday(groups["beyond"], day, sign) + timedelta(sign * WEEK))


def _next_weekday(name: str, day: date, sign: int) -> date:
    """Return the nearest day with a weekday's name before (-1) or after (1) a day, not the day itself."""
    return day + timedelta(sign * days_to_weekday(weekday_number(name), day, sign))


def _in_week(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'Tuesday of last week'."""
    away = AWAY[groups.get("its_week") or groups["week_of"]]
    monday = week_of(day, away).first or day
    return _day(monday + timedelta(weekday_number(groups.get("day_of") or groups["on_day"])))


def _nth(groups: Mapping[str, str], day: date, toward: int) -> ComposedTime:
    """Resolve 'the last Friday in June', 'the second week of March 2024', 'the first half of next month'."""
    which = groups.get("which")
    if which:
        years = [month_away(day, AWAY[which])]
    else:
        month = month_of(groups["month"])
        years = (
            [(int(groups["year"]), month)] if "year" in groups else [(day.year + away, month) for away in (0, -1, 1)]
        )
    periods = [_nth_of(*year_month, _NTH[groups["nth"]], groups["nth_unit"]) for year_month in years]
    period = min(periods, key=lambda each: days_away(each, day, toward))
    has_year = "year" in groups
    return ComposedTime(period, period_label(period), may_stand=period.days == 1 and not has_year, has_year=has_year)


def _nth_of(year: int, month: int, nth: int, unit: str) -> Period:
    days = monthrange(year, month)[1]
    if unit == "half":
        first, last = (1, _HALF_MONTH) if nth == 1 else (_HALF_MONTH + 1, days)
    elif unit == "week":
        first, last = (days - WEEK + 1, days) if nth < 0 else (WEEK * (nth - 1) + 1, WEEK * nth)
    else:
        number = SATURDAY if unit == "weekend" else weekday_number(unit)
        start = 1 if nth > 0 else days - WEEK + 1
        first = start + (number - date(year, month, start).weekday()) % WEEK + WEEK * (max(nth, 1) - 1)
        last = first
    begins, ends = date(year, month, first), date(year, month, last)
    if unit == "weekend":
        ends += timedelta(1)
    return Period(begins, ends, Precision.DAY if begins == ends else Precision.WEEK)


def _from_anchor(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime | None:
    """Resolve 'a week on Monday', 'six months from today', 'three weeks ago yesterday'."""
    is_past = "ago" in groups
    shift = {"today": 0, "tomorrow": 1, "yesterday": -1}
    told = groups.get("to_the_day") or groups["anchor"]
    anchor = day + timedelta(shift[told]) if told in shift else _next_weekday(told, day, 1)
    count, unit = groups.get("ago") or groups["count"], groups.get("ago_unit") or groups["unit"]
    moved = _moved(count, unit, anchor, -1 if is_past else 1)
    return _day(moved) if moved else None


def _moved(count: str, unit: str, day: date, sign: int) -> date | None:
    """Return the day that a count of units is away; None for an inexact count such as 'a few'."""
    count, unit = whole_units(count, unit)
    least, greatest = count_of(count)
    if least != greatest:
        return None
    if unit in _DAYS:
        return day + timedelta(sign * least * _DAYS[unit])
    year, month = month_away(day, sign * least * _MONTHS[unit])
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _of_month(groups: Mapping[str, str], day: date, toward: int) -> ComposedTime:
    """Resolve 'the night of the 9th'."""
    return _day(day_of_month(int(groups["ordinal"]), "", day, toward))


def _halves(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime | None:
    """Resolve 'in a year and a half', 'two and a half weeks ago', no more precisely than the words are."""
    least, greatest = count_of(groups["halves"])
    if least != greatest:
        return None
    sign = -1 if groups.get("half_side", "from now") in {"ago", "earlier", "back"} else 1
    unit = groups.get("half_unit") or groups["half_units"].removesuffix("s")
    if unit == "year":
        month = whole_month(*month_away(day, sign * (12 * least + 6)))
        return ComposedTime(month, period_label(month), may_stand=True)
    if unit == "month":
        moved = _moved(groups["halves"], unit, day, sign) or day
        return _around(moved + timedelta(sign * _HALF_MONTH), WEEK // 2)
    return _around(day + timedelta(sign * (WEEK * least + WEEK // 2)), 1)


def _coming(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'for the next three weeks'; 'within the next three weeks' is any day up to then."""
    count, unit = whole_units(groups["ahead_count"], groups["ahead_unit"])
    _, greatest = count_of(count)
    last = _moved(str(greatest), unit, day, 1) or day
    if groups["ahead"] in {"within", "in"}:
        return ComposedTime(Period(day, last, Precision.OPEN), day_label(last), until=True)
    period = Period(day, last, Precision(unit))
    return ComposedTime(period, period_label(period))


def _part(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'late last year', 'early next week'."""
    away = AWAY[groups["part_which"]]
    unit, part = groups["part_of"], groups["part"]
    if unit == "week":
        whole = week_of(day, away)
        return ComposedTime(part_of(whole, part), f"{part} in the week of {day_label(whole.first or day)}")
    whole = whole_month(*month_away(day, away)) if unit == "month" else whole_year(day.year + away)
    return ComposedTime(part_of(whole, part), f"{part} {period_label(whole)}", may_stand=True)


def part_of(whole: Period, part: str) -> Period:
    """Return the early, middle or late third of a period, as a vague period: 'late 2024' is from September on.

    >>> part_of(whole_year(2024), "late").first
    datetime.date(2024, 9, 1)
    """
    first, last = whole.first or date.min, whole.last or date.max
    if whole.precision is Precision.YEAR:
        year, last_year = first.year, last.year
        if year == last_year:
            start = {"early": 1, "mid": 5, "late": 9}[part]
            return whole_month(year, start, (year, start + 3))._replace(vague=True)
        start, end = {"early": (0, 3), "mid": (3, 6), "late": (6, 9)}[part]
        return Period(date(year + start, 1, 1), date(year + end, 12, 31), Precision.YEAR, vague=True)
    if whole.precision is Precision.MONTH:
        return part_of_month(whole, part)
    third = (last - first).days // 3
    starts = {"early": first, "mid": first + timedelta(third), "late": last - timedelta(third)}
    begins = starts[part]
    finer = Precision.DAY if whole.precision is Precision.WEEK else Precision.WEEK
    return Period(begins, begins + timedelta(third), finer, vague=True)


def _in_year(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'October of last year', 'the spring of next year', 'Q4 next year'."""
    year, named = day.year + AWAY[groups["its_year"]], groups["in_year"]
    if named in SEASONS:
        return ComposedTime(season_of(named, year), f"{named} {year}", may_stand=True)
    if named[1].isdigit():
        return ComposedTime(quarter_of(int(named[1]), year), f"{named.upper()} {year}", may_stand=True)
    month = whole_month(year, month_of(named))
    return ComposedTime(month, period_label(month), may_stand=True)


def _same_time(groups: Mapping[str, str], day: date, _toward: int) -> ComposedTime:
    """Resolve 'this time last year' to the month, and 'this time next week' to the days around."""
    sign = -1 if groups["same"] == "last" else 1
    if groups["same_unit"] == "week":
        return _around(day + timedelta(sign * WEEK), 1)
    month = whole_month(*month_away(day, sign * _MONTHS[groups["same_unit"]]))
    return ComposedTime(month._replace(vague=True), period_label(month), may_stand=True)


_Meaning = Callable[[Mapping[str, str], date, int], ComposedTime | None]
_MEANINGS: Final[Mapping[str, _Meaning]] = {
    "beyond": _beyond, "day_of": _in_week, "week_of": _in_week, "nth": _nth, "anchor": _from_anchor,
    "ago": _from_anchor, "ordinal": _of_month, "halves": _halves, "ahead": _coming, "part": _part, "in_year": _in_year,
    "same": _same_time,
}  # fmt: skip
"""Resolvers, by a group that only their alternative of `COMPOSED` has."""
