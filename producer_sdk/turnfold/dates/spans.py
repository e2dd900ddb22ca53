"""Durations and recurring times: 'for six months now', 'since March', 'until Friday', 'every Tuesday'."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEK, Period, Precision, day_label, month_away
from turnfold.dates.numbers import COUNT, count_of, whole_units

_UNIT: Final = "(?P<unit>day|night|week|fortnight|month|year|decade)s?"
LASTING: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:"
    r"(?:for|over|in|during|within|these|of|the) "
    r"(?:about |around |almost |nearly |over |more than |at least |the ){0,3}"
    rf"(?P<past>last|past) (?:(?P<count>{COUNT}) )?{_UNIT}"
    r"|for (?:about |around |almost |nearly |over |more than |at least |the better part of "
    rf"|going on |close to |well over |just over |some |a good )*(?P<count2>{COUNT}) "
    rf"{_UNIT.replace('unit', 'unit2')}(?P<now>,? (?:now|already|so far|running))?"
    rf"|(?P<been>it(?:'s|\u2019s| has| is)(?: already)?(?: been)?|been) (?:about |around |almost |nearly |over )?"
    rf"(?P<count3>{COUNT}) {_UNIT.replace('unit', 'unit3')}(?: (?:now|already))?(?P<since> since)?"
    rf"|(?P<count4>{COUNT}) {_UNIT.replace('unit', 'unit4')} (?:now|running)"
    r")(?!['\u2019]?\w)"
)
"""A duration; a match of `_ONGOING` before it shows that it is ongoing."""
_ONGOING: Final = lazy_pattern(r"(?i)(?:\b(?:have|has|had been|haven't|hasn't)|['\u2019](?:ve|s been))\b[^.!?;]{0,80}$")
RECURRING: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:the )?(?:first|second|third|fourth|last) "
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekday|day|week|weekend) "
    r"(?:of|in) (?:every|each) (?:month|quarter|year)"
    r"|(?:every|each)(?: other| single| second| third| \d{1,2}| two| three| few| first| last| alternate)? "
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|day|morning|afternoon|evening|night|weeks?|weekends?|months?"
    r"|quarters?|years?|days?|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|christmas|easter|time)"
    r"|(?:once|twice|(?:three|four|five|several|\d{1,2}) times) (?:a|per|every|each) (?:day|week|month|quarter|year)"
    r"|(?:on |most )?(?:alternate )?(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"(?: and (?:mon|tues|wednes|thurs|fri|satur|sun)days)?(?! ago\b)"
    r"|(?:on|at) week(?:end|day)s|most (?:days|mornings|evenings|nights|weekends)"
    r"|daily|(?:bi-?|semi-?)?weekly|(?:bi-?)?monthly|fortnightly|quarterly|yearly|annually)(?!\w)"
)
SINCE: Final = lazy_pattern(
    r"(?i)\b(?:ever )?(?:since|as of|starting|beginning|from|after)(?: about| around)? (?:the )?$"
)
"""Words before a time since which something is true; 'from' counts only if no end follows."""
UNTIL: Final = lazy_pattern(
    r"(?i)\b(?:until|till|by|no later than|before|up to|not after|due(?: on)?|deadline(?: is)?)(?: about| around)?"
    r" (?:the )?$"
)
"""Words before a time until which something is true, or by which it is done."""
_DAYS: Final = {"day": 1, "night": 1, "week": WEEK, "fortnight": 2 * WEEK}


def lasting_since(match: re.Match[str], said_on: date) -> tuple[Period, str] | None:
    """Return since when a match of `LASTING` has lasted, with a label; None for a duration that is not ongoing."""
    text = match.string
    if match["count2"] and not match["now"] and not _ONGOING.search(text, max(0, match.start() - 120), match.start()):
        return None
    begins_so = match.group().lower().startswith(("the ", "of last ", "of past ")) and not match["count"]
    if match["past"] and (begins_so or text.startswith(" of ", match.end())):
        # 'The last week of June' is a week, not a duration, and so is the year in 'May of last year'.
        return None
    shown = match["count"] or match["count2"] or match["count3"] or match["count4"] or "one"
    named = (match["unit"] or match["unit2"] or match["unit3"] or match["unit4"]).lower()
    shown, unit = whole_units(shown, named)
    least, most = count_of(shown)
    try:
        return _since(least, most, unit, said_on)
    except (ValueError, OverflowError):
        return None


def _since(least: int, most: int, unit: str, said_on: date) -> tuple[Period, str]:
    vague = least != most
    if unit in _DAYS:
        first = said_on - timedelta(_DAYS[unit] * most)
        return Period(first, None, Precision.OPEN, vague), f"{'about ' if vague else ''}{day_label(first)}"
    months = most * {"month": 1, "year": 12, "decade": 120}[unit]
    year, month = month_away(said_on, -months)
    label = f"{MONTHS[month - 1]} {year}" if unit == "month" else str(year)
    return Period(date(year, month, 1), None, Precision.OPEN, vague), f"about {label}"
