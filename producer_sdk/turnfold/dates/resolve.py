"""Replace relative times in a text by absolute ones."""

from __future__ import annotations

from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEKDAYS
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, TimeExpression

_OTHER_TIME: Final = lazy_pattern(rf"\b(?:1\d|20)\d\d\b|\b(?:{'|'.join(MONTHS)})\b")
"""A year or month in the text, which 'next year' may count from instead of the text's day."""
_PLACED: Final = lazy_pattern(r"(?i)(?:last|next|past|previous|this|coming|upcoming|the following)\b(?! night)")
_SEVERAL: Final = lazy_pattern(r"\w+ \w+s (?:before|after) ")
"""A counted label, such as 'two weekends before 14 May 2026', which takes no 'the': that would mean both weekends."""
_AFTER_WORD: Final = lazy_pattern(
    r"(?i)\b(?:on|in|at|by|since|from|until|till|to|for|of|through|during|before|after|around|about|the|this|that|like"
    r"|is|was|and|or|early|late|mid|every|each) $|[(\[/-]$"
)
"""Words before a day that then needs no preposition."""
_BEFORE_WORD: Final = lazy_pattern(r"(?i)['\u2019]s\b| (?:is|was|were|will|would|has|had)\b")
"""Words after a day that is used as a noun: 'yesterday was long', 'yesterday's talk'."""
_POSSESSIVE: Final = lazy_pattern(r"['\u2019]s?(?!\w)")
"""After a time as an attribute, which reads well only as it was said: 'Friday's talk'."""
_DAY: Final = lazy_pattern(r"(?i)(?:the day before )?yesterday|tomorrow")
_DETERMINER: Final = lazy_pattern(r"(?i)\b(?:the|this|that|every|each) $")
_DESCRIBES: Final = lazy_pattern(r"(?i)\b(?:the|an?|this|that|my|our|your|his|her|their|last|first) $")
_OPENS: Final = lazy_pattern(
    r"(?i)(?:^|[,;:.!?(\u2013\u2014-] ?|\b(?:and|but|so|because|that|if|when|as|since|though) )$"
)
"""Text before a day that may be the subject of its clause."""
_NO_PERIOD: Final = lazy_pattern(r"(?i)\b(?:the|this|that|every|each|and|or|after|before|until|to|will|did) $")
"""Words before 'last year' that make it a duration ('over the last year') or a verb ('it will last weekend trips')."""
_SINCE: Final = lazy_pattern(r"(?i),? ?\(?since\b|.{0,60} since")
"""A 'since' that already states the beginning."""
_BARE: Final = lazy_pattern(rf"(?i)(?:{'|'.join(WEEKDAYS)}|[a-z]{{3,5}})")
"""A weekday without 'last', 'next' or the like."""
_DAYS: Final = lazy_pattern(
    rf"(?i)(?:{'|'.join(WEEKDAYS)})\W{{1,3}}(?:(?:to|till|until|through) )?(?:{'|'.join(WEEKDAYS)})"
)
"""A range such as 'Monday to Friday', which mostly means any week."""
_NAMES_MORE: Final = lazy_pattern(
    r"(?i) (?!(?:at|in|for|on|with|from|by|to|of|about|after|before|around|because|when|while|if|and|but|or|so|as|that"
    r"|which|who|i|we|he|she|they|it|you|is|was|are|were|will|would|then|too|already|again|instead|my|our|the)(?!\w))\w"
)
"""Text after a weekday that is part of a name: 'Friday lunch'."""
_FEW: Final = lazy_pattern(r"(?i)\b(?:few|several|some|couple|other) ")
"""An inexact count, which cannot be resolved to a day."""
_COUNTED: Final = lazy_pattern(r"(?i)\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) ")
_LONG_UNITS: Final = lazy_pattern(r"(?i)(?:month|year|decade)s?\b")
_PART: Final = lazy_pattern(r"(?i)(?:yesterday|tomorrow) (\w+)")
"""A part of a day: 'tomorrow night'."""
_UP_TO: Final = lazy_pattern(r"(?i)within(?!\w)")
"""A word that makes the time any day up to then."""


def resolve_relative_days(text: str, said_on: date) -> str:
    """Replace 'yesterday', 'N days ago', 'last month', 'next Friday' and the like by absolute times.

    A week, a weekday or a season becomes one before or after the day, as 'next Friday' is ambiguous. An ongoing
    duration keeps its words, followed by its beginning.

    >>> resolve_relative_days("signed two days ago", date(2026, 5, 14))
    'signed on 12 May 2026'
    >>> resolve_relative_days("started last month, moving next Friday", date(2026, 5, 14))
    'started in April 2026, moving the Friday after 14 May 2026'
    >>> resolve_relative_days("saw it last night", date(2026, 5, 14))
    'saw it the night of 13 May 2026'
    >>> resolve_relative_days("painting for six months now", date(2026, 5, 14))
    'painting for six months now (since about November 2025)'
    """
    pieces: list[str] = []
    end = 0
    for time in time_expressions(text, said_on):
        shown = _shown(text, time)
        if shown is not None:
            pieces += [text[end : time.start], shown]
            end = time.end
    return "".join([*pieces, text[end:]])


def _shown(text: str, time: TimeExpression) -> str | None:
    """Return the replacement for the words of a time; None if they stay as they are."""
    words = text[time.start : time.end]
    is_attribute = _POSSESSIVE.match(text, time.end) and not _DAY.fullmatch(words)
    if not time.label or time.period is None or is_attribute:
        return None
    if time.form is Form.LASTING:
        return f"{words} ({time.meaning})" if _may_tell_beginning(text, time, words) else None
    if time.form is not Form.COUNTED or _FEW.search(words):
        return None
    if _DAYS.fullmatch(words) or (_BARE.fullmatch(words) and _NAMES_MORE.match(text, time.end)):
        return None
    if _PLACED.match(words) and (
        _NO_PERIOD.search(text, max(0, time.start - 20), time.start)
        or _OTHER_TIME.search(text)
        or '"' in text
        or (time.start and words[0].isupper())
    ):
        return None
    part = _PART.fullmatch(words)
    return _of_part(text, time, part[1]) if part else f"{_word_before(text, time)}{time.label}"


def _of_part(text: str, time: TimeExpression, part: str) -> str | None:
    """Return the words for a part of a day; None before a noun that it describes: 'the tomorrow morning call'."""
    is_attribute = _DESCRIBES.search(text, max(0, time.start - 8), time.start)
    return None if is_attribute else f"the {part} of {time.label}"


def _may_tell_beginning(text: str, time: TimeExpression, words: str) -> bool:
    """Whether a duration is long and exact, and the text does not state its beginning."""
    if not _COUNTED.search(words) or not _LONG_UNITS.search(words):
        return False
    return not _SINCE.fullmatch(words) and not _SINCE.match(text, time.end)


def _word_before(text: str, time: TimeExpression) -> str:
    """Return the word that a label needs before it: 'on 12 May 2026', 'in April 2026', 'the week before 14 May'."""
    start, end, label = time.start, time.end, time.label
    if text[start:end] == text.strip():
        return ""
    if _BEFORE_WORD.match(text, end) and _OPENS.search(text, max(0, start - 10), start):
        return ""
    if _SEVERAL.match(label):
        return ""
    if " before " in label or " after " in label or " of " in label:
        return "" if _DETERMINER.search(text, max(0, start - 8), start) else "the "
    if _AFTER_WORD.search(text, max(0, start - 10), start):
        return ""
    of_day = "on " if label[0].isdigit() and " " in label else "in "
    return "by " if _UP_TO.match(text, start) else of_day
