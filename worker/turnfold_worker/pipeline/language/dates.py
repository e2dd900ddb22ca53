"""Days as people write them. Time comes from the turns only; there is no clock here."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from turnfold.contract.days import MONTHS
from turnfold.contract.lazy_patterns import lazy_pattern

_AGO: Final = lazy_pattern(
    r"(?i)(?<![\w.,/$~<>\u2013-])(\d{1,3}|an?|one|two|three|four|five|six) (day|week|weekend|month|year)s? ago(?!\w)"
)
_NO_COUNT: Final = lazy_pattern(r"(?i)\b(?:or|to|than|least|most|about|around|over|under|nearly|almost|maybe|some) $")
"""'Less than two days ago' is no day."""
_NEAR: Final = lazy_pattern(r"(?i)(?<!\w)(?:the )?(day before yesterday|yesterday|day after tomorrow|tomorrow)(?!\w)")
_NEAR_DAYS: Final = {"day before yesterday": -2, "yesterday": -1, "day after tomorrow": 2, "tomorrow": 1}
_RELATIVE: Final = (" ago", "yesterday", "tomorrow", "last ", "next ", "this ")
"""What a text holds, in lower case, that names a day so."""
_DAYS: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thurs?|thu|fri|(?-i:Sat|Sun)"
_SEASONS: Final = "summer|winter|spring|autumn|fall"
_AUTUMN: Final = 9
"""The month from which 'last summer' is of the same year, in the north as in the south."""
_DAY_NAMES: Final = {
    name[:3].lower(): name for name in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
}
_PERIOD: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:(?P<which>last|next) (?P<what>week(?:end)?|month|year|{_SEASONS}|{_DAYS})"
    r"|last (?P<night>night)|this (?P<this>month|year))"
    r"(?!['\u2019-]?\w| (?:of|or|to) | and (?!(?:i|we|it|he|she|they|you|my|our|now)\b))"
)
_NO_PERIOD: Final = lazy_pattern(
    r"(?i)\b(?:the|this|that|these|those|my|our|your|his|her|their|its|every|very|of|a|no|any|each|first|and|or|after"
    r"|before|until|to|must|will|should|would|can|could|did) $"
)
"""'Over the last year' is a length of time, no date; 'it must last weekend trips' neither."""
_OTHER_TIME: Final = lazy_pattern(rf"\b(?:1\d|20)\d\d\b|\b(?:{'|'.join(MONTHS)})\b")
"""What 'next year' may be counted from instead of the day."""
_LIKENESS: Final = lazy_pattern(r"(?i)\blike (?:it was )?(?:just |only )?$")
"""'Feels like yesterday' is no date."""
_AFTER_WORD: Final = lazy_pattern(
    r"(?i)\b(?:on|in|at|by|since|from|until|till|to|for|of|through|during|before|after|around|about|the|this|that|like"
    r"|is|was|and|or|early|late|mid|every|each) $|[(\[/-]$"
)
"""Stands before a day that needs no word of its own."""
_BEFORE_WORD: Final = lazy_pattern(r"(?i)['\u2019]s\b| (?:is|was|were|will|would|has|had)\b")
"""Stands behind a day that is a thing: 'yesterday was long', 'yesterday's talk'."""
_DETERMINER: Final = lazy_pattern(r"(?i)\b(?:the|this|that|every|each) $")
_SPELLED: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def as_utc(moment: datetime) -> datetime:
    """The moment in UTC; one without a zone is taken as UTC, because a local zone would differ between workers."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def day_label(day: date) -> str:
    """The day in words that mean the same everywhere.

    >>> day_label(date(2026, 5, 14))
    '14 May 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def resolve_relative_days(text: str, said_on: date) -> str:
    """Replace 'yesterday', 'N days ago', 'last month', 'next Friday' and the like by what they mean without the day.

    A week, a weekday or a season is only placed before or after the day: people do not agree which 'next Friday' is.

    >>> resolve_relative_days("signed two days ago", date(2026, 5, 14))
    'signed on 12 May 2026'
    >>> resolve_relative_days("started last month, moving next Friday", date(2026, 5, 14))
    'started in April 2026, moving the Friday after 14 May 2026'
    >>> resolve_relative_days("saw it last night", date(2026, 5, 14))
    'saw it the night of 13 May 2026'
    """
    return _resolved(text, said_on)[0] if _may_be_relative(text) else text


def relative_day(text: str, said_on: date) -> str | None:
    """What the relative day of a text means; None where it names none, or more than one.

    >>> relative_day("signed two days ago", date(2026, 5, 14))
    '12 May 2026'
    """
    meant = set(_resolved(text, said_on)[1]) if _may_be_relative(text) else set()
    return meant.pop() if len(meant) == 1 else None


def _resolved(text: str, said_on: date) -> tuple[str, list[str]]:
    """A text with its relative days replaced, and what they mean."""

    def near(match: re.Match[str]) -> str:
        if _LIKENESS.search(text, max(0, match.start() - 20), match.start()):
            return match.group()
        return _shifted(match.group(), said_on, _NEAR_DAYS[match.group(1).lower()])

    def ago(match: re.Match[str]) -> str:
        if _NO_COUNT.search(match.string, max(0, match.start() - 20), match.start()):
            return match.group()
        count = match.group(1).lower()
        return _back(match, _SPELLED[count] if count in _SPELLED else int(count), said_on)

    def period(match: re.Match[str]) -> str:
        before = text_with_days[max(0, match.start() - 20) : match.start()]
        if match["this"]:
            return match.group() if _LIKENESS.search(before) else _current(match["this"].lower(), said_on)
        if _NO_PERIOD.search(before) or _LIKENESS.search(before):
            return match.group()
        if match.start() and match.group()[0].isupper():
            return match.group()
        which, what = match["which"] or "last", match["what"] or match["night"]
        return _placed(which.lower() == "next", what, said_on)

    meant: list[str] = []
    text_with_days = _replaced(_AGO, ago, _replaced(_NEAR, near, text, meant), meant)
    if _OTHER_TIME.search(text) or '"' in text:
        return text_with_days, meant
    return _replaced(_PERIOD, period, text_with_days, meant), meant


def _replaced(pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str], text: str, meant: list[str]) -> str:
    """A text with the matches of a pattern replaced by what they mean, which is noted where it differs."""

    def replacement(match: re.Match[str]) -> str:
        day = meaning(match)
        if day == match.group():
            return day
        meant.append(day)
        return f"{_word_before(match, day)}{day}"

    return pattern.sub(replacement, text)


def _word_before(match: re.Match[str], day: str) -> str:
    """What a sentence needs before a day: 'on 12 May 2026', 'in April 2026', 'the week before 14 May 2026'."""
    text = match.string
    if match.group() == text.strip() or _BEFORE_WORD.match(text, match.end()):
        return ""
    if " before " in day or " after " in day or " of " in day:
        return "" if _DETERMINER.search(text, max(0, match.start() - 8), match.start()) else "the "
    if _AFTER_WORD.search(text, max(0, match.start() - 10), match.start()):
        return ""
    return "on " if day[0].isdigit() and " " in day else "in "


def _back(match: re.Match[str], count: int, said_on: date) -> str:
    """So many days, weeks, months or years before: no finer than what was said."""
    match match.group(2).lower():
        case "year":
            return str(said_on.year - count) if count < said_on.year else match.group()
        case "month":
            months = said_on.year * 12 + said_on.month - 1 - count
            return f"{MONTHS[months % 12]} {months // 12}" if months >= 12 else match.group()
        case "weekend":
            return f"{match.group()[:-4]} before {day_label(said_on)}"
        case unit:
            return _shifted(match.group(), said_on, -count * (7 if unit == "week" else 1))


def _current(what: str, said_on: date) -> str:
    return str(said_on.year) if what == "year" else f"{MONTHS[said_on.month - 1]} {said_on.year}"


def _placed(after: bool, what: str, said_on: date) -> str:  # noqa: FBT001 - which side of the day
    """A month or a year by its name, a week or a weekday beside the day."""
    if what.lower() == "night":
        return f"night of {_shifted('the day before', said_on, -1)}"
    if what.lower() == "year":
        return str(said_on.year + (1 if after else -1))
    if what.lower() == "month":
        month = said_on.month - 1 + (1 if after else -1)
        return f"{MONTHS[month % 12]} {said_on.year + month // 12}"
    if what.lower() == "summer" and not after and said_on.month >= _AUTUMN:
        return f"summer {said_on.year}"
    season = what.lower() in _SEASONS.split("|")
    shown = what.lower() if season else _DAY_NAMES.get(what[:3].lower(), what)
    return f"{shown} {'after' if after else 'before'} {day_label(said_on)}"


def _may_be_relative(text: str) -> bool:
    lowered = text.lower()
    return not text.isascii() or any(map(lowered.__contains__, _RELATIVE))


def _shifted(words: str, said_on: date, days: int) -> str:
    try:
        return day_label(said_on + timedelta(days=days))
    except OverflowError:
        return words
