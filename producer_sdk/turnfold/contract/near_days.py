"""Days that words count from the day on which they were said, and whether they have passed."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from turnfold.contract.days import MONTHS
from turnfold.contract.lazy_patterns import lazy_pattern

_DAYS: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WITHIN: Final = (
    (1, r"today|tonight|this (?:morning|afternoon|evening)|right (?:now|away)|in (?:a minute|an hour)"),
    (2, r"tomorrow|yesterday"),
    (8, rf"(?:(?:on|by|until|this|last) )?{_DAYS}|(?:this|last) (?:week|weekend)|in a few days|the other day"),
    (15, rf"next (?:week|weekend|{_DAYS})"),
    (31, r"(?:this|last) month"),
    (62, r"next month"),
)
"""Days after which what was said for such a day has passed."""
_NEAR: Final = lazy_pattern(
    "|".join(f"(?P<within_{days}>(?<![\\w-])(?:{words})(?![\\w-]))" for days, words in _WITHIN), re.IGNORECASE
)
_MONTH: Final = "|".join(MONTHS)
_DATED: Final = lazy_pattern(
    rf"(?<!\w)(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})|"
    rf"(?P<named>{_MONTH}) (?P<numbered>\d{{1,2}}))(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?(?!\w)"
)
_RECURS: Final = lazy_pattern(r"(?i)(?<!\w)(?:every|each|always|never|weekly|daily|monthly|whenever|from now on)(?!\w)")


def day_of(label: str) -> date | None:
    """The day that a label like '2 March 2026' names; None for any other text.

    >>> day_of("2 March 2026")
    datetime.date(2026, 3, 2)
    """
    match = _DATED.fullmatch(label)
    return None if match is None or not match["year"] else _day(match, int(match["year"]))


def names_near_day(text: str) -> bool:
    """Whether a text means another day for whoever does not know when it was said: 'tomorrow', 'next week'."""
    return _NEAR.search(text) is not None and not _RECURS.search(text)


def has_passed(text: str, said_on: date, today: date) -> bool:
    """Whether every day that a text names lies before a later one; False where it names none, or what recurs.

    >>> has_passed("I'll bring it tomorrow.", date(2026, 3, 2), date(2026, 3, 3))
    False
    >>> has_passed("I'll bring it tomorrow.", date(2026, 3, 2), date(2026, 5, 1))
    True
    """
    if _RECURS.search(text):
        return False
    ends = [said_on + timedelta(int((match.lastgroup or "_0").rpartition("_")[2])) for match in _NEAR.finditer(text)]
    for match in _DATED.finditer(text):
        day = _day(match, int(match["year"] or said_on.year))
        if day is None:
            return False
        # '3 January' that is promised in March is of the year after.
        is_behind = not match["year"] and day < said_on
        ends.append(day.replace(year=day.year + 1, day=min(day.day, 28)) if is_behind else day)
    return bool(ends) and max(ends) < today


def _day(match: re.Match[str], year: int) -> date | None:
    month = MONTHS.index(match["month"] or match["named"]) + 1
    try:
        return date(year, month, int(match["day"] or match["numbered"]))
    except ValueError:
        return None
