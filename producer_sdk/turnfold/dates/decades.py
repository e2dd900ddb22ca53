"""Decades, parts of years and holidays of several days: 'the late nineties', 'late 2024', 'over Easter'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import Period, Precision, whole_year
from turnfold.dates.composed import part_of
from turnfold.dates.written import easter, nearest

_WORDS: Final = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip
_PART: Final = r"(?P<part>early|mid|late)(?: to (?:mid|late))?"
DECADES: Final = lazy_pattern(
    r"(?i)(?<![\w.,/$~<>-])(?:"
    rf"the (?:{_PART}[- ]?)?(?:(?P<word>{'|'.join(_WORDS)})|(?P<decade>(?:19|20)\d0)s|['\u2019]?(?P<short>[2-9]0)s)"
    r"|(?P<part2>early|mid|late)[- ](?:in )?(?P<year>(?:19|20)\d\d)"
    r"|(?:over|during|around) (?:the )?(?P<feast>Easter|Christmas)(?: (?:weekend|holidays?|break))?"
    r"|between Christmas and New Year(?:['\u2019]s(?: (?:Eve|Day))?)?(?P<between>)"
    r")(?![\w-])"
)
_PLACES: Final = lazy_pattern(
    r"(?i)\b(?:in|since|from|during|of|by|until|till|through|throughout|before|after|around) $"
)
"""Words before a decade that mark it as a time."""
_WARM: Final = lazy_pattern(
    r"(?i)\b(?:degrees?|temperatures?|hot|cold|heat|weather|humid|fahrenheit|celsius|highs?|lows?|sunny|scores?|grades?|"
    r"percent|aged?|years old)\b"
)
"""Words nearby that make 'in the nineties' a temperature, score or age instead of a decade."""
_AROUND: Final = 80
_FIRST_OF_CHRISTMAS: Final = 24


def decade_periods(match: re.Match[str], near: date | None, toward: int = 0) -> Iterator[Period]:
    """Yield the periods that a match of `DECADES` may mean, best first; none if it is no time.

    A time without a year yields nothing without the day `near`; `toward` is as in `written_periods`.
    """
    if match["year"]:
        yield part_of(whole_year(int(match["year"])), match["part2"].lower())
    elif match["feast"] or match["between"] is not None:
        if near is not None:
            yield from nearest(partial(_feast_of, match), near, toward)
    elif _is_time(match):
        for first in _first_years(match):
            whole = Period(date(first, 1, 1), date(first + 9, 12, 31), Precision.YEAR, vague=True)
            yield part_of(whole, match["part"].lower()) if match["part"] else whole


def has_its_year(match: re.Match[str]) -> bool:
    """Whether a match of `DECADES` is absolute: holidays depend on the day of the text."""
    return match["feast"] is None and match["between"] is None


def _is_time(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    if match["decade"]:
        return True
    around = text[max(0, start - _AROUND) : match.end() + _AROUND]
    is_placed = match["part"] or _PLACES.search(text, max(0, start - 14), start)
    return is_placed is not None and _WARM.search(around) is None


def _first_years(match: re.Match[str]) -> list[int]:
    if match["decade"]:
        return [int(match["decade"])]
    short = _WORDS[match["word"].lower()] if match["word"] else int(match["short"])
    # 'The twenties' may be those of this century or of the last one.
    return [1900 + short] if short > _WORDS["twenties"] else [2000 + short, 1900 + short]


def _feast_of(match: re.Match[str], year: int) -> Period:
    if match["between"] is not None:
        return Period(date(year, 12, 25), date(year + 1, 1, 1), Precision.WEEK)
    if match["feast"].lower() == "christmas":
        return Period(date(year, 12, _FIRST_OF_CHRISTMAS), date(year, 12, 26), Precision.WEEK)
    sunday = easter(year)
    return Period(sunday - timedelta(2), sunday + timedelta(1), Precision.WEEK)
