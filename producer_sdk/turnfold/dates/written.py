"""Absolute times: '14 May 2026', 'May 3-5', 'summer of 2023', '2026-05-14', 'Q3 2025', 'Christmas'."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEK, Period, Precision, one_day, whole_month, whole_year

_MONTH: Final = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in (*MONTHS, "Sept"))
_TYPED: Final = f"{_MONTH}|january|february|march|april|june|july|august|september|october|november|december"
"""Month names after the number of a day, where lower case counts too, except for 'may', which is another word."""


def _after(words: str) -> str:
    """Return a regex for a place right after one of some words, each before a space."""
    return f"(?:{'|'.join(f'(?<={word} )' for word in words.split())})"


_OTHER_WORDS: Final = r"(?! (?:a|an|the|be|have|not|also|well|need|help|want|on|to)\b)"
"""Excludes words that make 'may' or 'march' in lower case a verb."""
_TYPED_BARE: Final = (
    _after("in since by until till of during due to") + "(?:january|february|september|october|november|december|july)"
    f"|{_after('in since by until till of during')}"
    rf"(?:april|june|august|(?:march|may){_OTHER_WORDS})(?! \d)"
)
"""Month names in lower case, after words that make them times."""
_TYPED_DATED: Final = (
    "january|february|july|september|october|november|december"
    f"|{_after('on since by until till due from is')}(?:march|april|may|june|august)"
)
"""Month names in lower case before the number of a day."""
_DAY: Final = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_DASH: Final = r" ?(?:[-\u2013\u2014]|to|and|until) ?"
SEASONS: Final = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 2)}
"""First and last month of each season, in the northern hemisphere; winter ends in the next year."""
_NO_YEAR: Final = r"ms|tokens|users|people|rows|requests|euros|dollars|words|lines"
WRITTEN: Final = lazy_pattern(
    r"(?<![\w.:/$-])(?:(?P<iso>(?:19|20)\d\d[-/][01]\d[-/][0-3]\d)(?![\d-])(?:T[\d:.]{4,15}Z?)?"
    r"|(?P<dotted>[0-3]?\d\.[01]?\d\.(?:19|20)\d\d)(?![\d.])"
    r"|(?P<slashed>[0-3]?\d/[0-3]?\d/(?:19|20)\d\d)(?![\d/])"
    rf"|(?P<a>{_DAY})(?:{_DASH}(?P<b>{_DAY}))?(?:(?: of)? |-)(?P<m>{_TYPED})\b\.?"
    rf"(?:{_DASH}(?P<a2>{_DAY}) (?P<m2>{_TYPED})\b)?(?:(?:,? |-)(?P<y>(?:19|20)\d\d)(?![\d-]))?"
    rf"|(?P<m3>{_MONTH}|{_TYPED_DATED})\b\.? (?:the )?(?P<a3>{_DAY})(?!\w)(?:{_DASH}(?P<b3>{_DAY})(?!\w))?"
    rf"(?:,? (?P<y3>(?:19|20)\d\d)(?![\d-]))?"
    rf"|(?:(?P<part>early|mid|late|the (?:beginning|start|middle|end) of)[ -])?"
    rf"(?:(?P<m4>{_MONTH}|{_TYPED_BARE})\b|(?P<season>(?i:{'|'.join(SEASONS)})))"
    r"(?: (?:of )?(?P<y4>(?:19|20)\d\d|['\u2019]\d\d)(?![\d-]))?"
    r"|(?P<quarter>Q[1-4])(?: (?P<y6>(?:19|20)\d\d))?"
    r"|[Ww]eek (?P<week>[0-5]?\d)(?: of|,)? (?P<y8>(?:19|20)\d\d)|(?P<numbered>[01]?\d/(?:19|20)\d\d)"
    r"|(?P<years>(?:19|20)\d\d[-\u2013/](?:19|20)\d\d)(?!-)|(?:the )?(?P<decade>(?:19|20)\d0)s"
    r"|(?P<feast>(?i:Christmas Eve|Christmas(?: Day)?|Halloween|Easter(?: (?:Sunday|Monday))?(?! (?:egg|bunny)))"
    r"|New Year's Eve|New Year's(?: Day)?|Valentine's(?: Day)?|Thanksgiving|Good Friday)(?:,? (?P<y7>(?:19|20)\d\d))?"
    rf"|(?P<y5>(?:19|20)\d\d)(?![\d%-]| ?(?:{_NO_YEAR})\b))(?!\w)"
)
"""Groups: `iso`, `dotted`, `slashed`; `a` to `b` `m` `y`, `a` `m` to `a2` `m2`; `m3` `a3` to `b3` `y3`; `part` `m4` or
`season` with `y4`; `quarter` `y6`; `decade`; `feast` `y7`; `y5`, a year alone."""
_FEASTS: Final = {
    "christmas eve": (12, 24), "christmas": (12, 25), "christmas day": (12, 25), "new year's eve": (12, 31),
    "new year's": (1, 1), "new year's day": (1, 1), "halloween": (10, 31), "valentine's": (2, 14),
    "valentine's day": (2, 14),
}  # fmt: skip
_LAST_OF_THIS_CENTURY: Final = 60
"""Last two-digit year of this century: '60 is 2060, '61 is 1961."""
_NOVEMBER: Final = 11
_THURSDAY: Final = 3
_LATEST_MONTH: Final = 12
BEFORE_BARE: Final = lazy_pattern(
    r"(?i)\b(?:in|since|by|until|till|during|of|from|last|next|this|early|late|mid|before|after|through|throughout|around"
    r"|to|and|or|between|past|for|back in|circa|year)(?: the)?[ -]$"
)
"""Words that have to precede a month, a season or a year alone for it to be a time: 'may' and 'march' are verbs, a fall
hurts, and 2019 may be a price."""


def written_periods(match: re.Match[str], near: date | None, toward: int = 0) -> Iterator[Period]:
    """Yield the periods that a match of `WRITTEN` may mean, best first; none for a day that does not exist.

    A missing year is the one that puts the period nearest to the day `near`; with `toward` -1 not after it, with 1 not
    before it. Without `near`, a time without a year yields nothing.
    """
    try:
        yield from _written(match, near, toward)
    except (ValueError, OverflowError):
        return


def written_period(match: re.Match[str], near: date | None, toward: int = 0) -> Period | None:
    """Return the best of `written_periods`; None if there is none."""
    return next(written_periods(match, near, toward), None)


def has_year(match: re.Match[str]) -> bool:
    """Whether a match of `WRITTEN` includes its year."""
    own = ("iso", "dotted", "slashed", "numbered", "years", "decade", "y8", "y", "y3", "y4", "y5", "y6", "y7")
    return any(match[name] for name in own)


def _written(match: re.Match[str], near: date | None, toward: int) -> Iterator[Period]:
    if match["iso"]:
        yield one_day(date.fromisoformat(match["iso"].replace("/", "-")))
    elif match["dotted"]:
        day, month, year = map(int, match["dotted"].split("."))
        yield one_day(date(year, month, day))
    elif match["slashed"]:
        yield from _slashed(*map(int, match["slashed"].split("/")))
    elif match["week"]:
        monday = date.fromisocalendar(int(match["y8"]), int(match["week"]), 1)
        yield Period(monday, monday + timedelta(days=6), Precision.WEEK)
    elif match["numbered"]:
        shown, _, year_shown = match["numbered"].partition("/")
        yield whole_month(int(year_shown), int(shown))
    elif match["years"]:
        yield Period(date(int(match["years"][:4]), 1, 1), date(int(match["years"][5:]), 12, 31), Precision.YEAR)
    elif match["y5"]:
        yield whole_year(int(match["y5"]))
    elif match["decade"]:
        first = int(match["decade"])
        yield Period(date(first, 1, 1), date(first + 9, _LATEST_MONTH, 31), Precision.YEAR, vague=True)
    else:
        yield from _in_year(match, near, toward)


def _slashed(one: int, other: int, year: int) -> Iterator[Period]:
    """Yield both readings of an ambiguous date such as 3/4/2026, or the only possible one."""
    for month, day in ((one, other), (other, one)) if one != other else ((one, other),):
        if month <= _LATEST_MONTH:
            yield one_day(date(year, month, day))


def _in_year(match: re.Match[str], near: date | None, toward: int) -> Iterator[Period]:
    shown = match["y"] or match["y3"] or match["y4"] or match["y6"] or match["y7"]
    if shown and not shown[0].isdigit():
        century = 1900 if int(shown[1:]) > _LAST_OF_THIS_CENTURY else 2000
        yield _of_year(match, century + int(shown[1:]))
    elif shown:
        yield _of_year(match, int(shown))
    elif near is not None:
        yield from nearest(partial(_of_year, match), near, toward)


def nearest(of_year: Callable[[int], Period], near: date, toward: int) -> Iterator[Period]:
    """Yield the occurrence of a yearly period nearest to a day; none if no year around has one, as for 29 February."""
    periods = []
    for year in (near.year - 1, near.year, near.year + 1):
        # The period may not exist in this year, or the year not in the calendar.
        with suppress(ValueError, OverflowError):
            periods.append(of_year(year))
    if periods:
        yield min(periods, key=lambda period: days_away(period, near, toward))


def days_away(period: Period, near: date, toward: int) -> int:
    """Return the distance of a period from a day, in days; a thousand years more if it is on the wrong side."""
    first, last = period.first or date.min, period.last or date.max
    wrong = toward < 0 < (first - near).days or (toward > 0 > (last - near).days)
    away = max((first - near).days, (near - last).days, 0)
    return away + 365_000 * wrong


def season_of(season: str, year: int) -> Period:
    """Return the season that begins in a year."""
    first, last = SEASONS[season]
    return whole_month(year, first, (year + (last < first), last))


def quarter_of(number: int, year: int) -> Period:
    """Return a quarter of a year, 1 to 4."""
    return whole_month(year, 3 * number - 2, (year, 3 * number))


def _of_year(match: re.Match[str], year: int) -> Period:
    if match["season"]:
        return season_of(match["season"].lower(), year)
    if match["quarter"]:
        return quarter_of(int(match["quarter"][1]), year)
    if match["feast"]:
        return one_day(_feast(match["feast"].lower(), year))
    month = month_of(match["m"] or match["m3"] or match["m4"])
    if match["m4"]:
        return part_of_month(whole_month(year, month), match["part"])
    start, end = match["a"] or match["a3"], match["b"] or match["b3"]
    first_day = date(year, month, number_of(start))
    if match["m2"]:
        last_month = month_of(match["m2"])
        # A year after the last day belongs to the last day.
        next_year = last_month < month
        first_day = date(year - next_year, month, number_of(start)) if match["y"] else first_day
        last_day = date(first_day.year + next_year, last_month, number_of(match["a2"]))
    else:
        last_day = date(year, month, number_of(end)) if end else first_day
    if last_day < first_day or (end and last_day == first_day):
        raise ValueError("days in the wrong order")
    return Period(first_day, last_day, Precision.DAY if first_day == last_day else Precision.WEEK)


def part_of_month(month: Period, part: str | None) -> Period:
    """Return the beginning, middle or end of a month: a vague period of about ten days."""
    if not part or month.first is None or month.last is None:
        return month
    part = part.lower()
    if part.startswith(("early", "the b", "the s")):
        return Period(month.first, month.first + timedelta(days=9), Precision.WEEK, vague=True)
    if part.startswith(("mid", "the m")):
        return Period(month.first.replace(day=11), month.first.replace(day=20), Precision.WEEK, vague=True)
    return Period(month.first.replace(day=21), month.last, Precision.WEEK, vague=True)


def _feast(name: str, year: int) -> date:
    if name in _FEASTS:
        return date(year, *_FEASTS[name])
    if name.startswith(("easter", "good")):
        return easter(year) + timedelta(days=1 if name == "easter monday" else -2 if name == "good friday" else 0)
    first = date(year, _NOVEMBER, 1)
    return first + timedelta(days=(_THURSDAY - first.weekday()) % WEEK + 3 * WEEK)


def easter(year: int) -> date:
    """Return Easter Sunday by the anonymous Gregorian algorithm (Nature, 20 April 1876)."""
    golden, century, of_century = year % 19, year // 100, year % 100
    leaps, rest = divmod(century, 4)
    moved = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leaps - moved + 15) % 30
    weekday = (32 + 2 * rest + 2 * (of_century // 4) - epact - of_century % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def month_of(shown: str) -> int:
    """Return the number of a month by its first three letters."""
    return next(number for number, name in enumerate(MONTHS, 1) if name[:3].lower() == shown[:3].lower())


def number_of(shown: str) -> int:
    """Parse the number of a day, without its ordinal suffix: 3 of '3rd'."""
    return int(shown.rstrip("sthndr"))
