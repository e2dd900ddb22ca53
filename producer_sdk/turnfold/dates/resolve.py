"""Words that count from the day they were said on, replaced by what they mean on any other day."""

from __future__ import annotations

from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEKDAYS
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, TimeExpression

_OTHER_TIME: Final = lazy_pattern(rf"\b(?:1\d|20)\d\d\b|\b(?:{'|'.join(MONTHS)})\b")
"""What 'next year' may be counted from instead of the day."""
_PLACED: Final = lazy_pattern(r"(?i)(?:last|next|past|previous|this|coming|upcoming|the following)\b(?! night)")
_SEVERAL: Final = lazy_pattern(r"\w+ \w+s (?:before|after) ")
"""'Two weekends before 14 May 2026': one day, where 'the two weekends before' would be both."""
_AFTER_WORD: Final = lazy_pattern(
    r"(?i)\b(?:on|in|at|by|since|from|until|till|to|for|of|through|during|before|after|around|about|the|this|that|like"
    r"|is|was|and|or|early|late|mid|every|each) $|[(\[/-]$"
)
"""Stands before a day that needs no word of its own."""
_BEFORE_WORD: Final = lazy_pattern(r"(?i)['\u2019]s\b| (?:is|was|were|will|would|has|had)\b")
"""Stands behind a day that is a thing: 'yesterday was long', 'yesterday's talk'."""
_DETERMINER: Final = lazy_pattern(r"(?i)\b(?:the|this|that|every|each) $")
_OPENS: Final = lazy_pattern(
    r"(?i)(?:^|[,;:.!?(\u2013\u2014-] ?|\b(?:and|but|so|because|that|if|when|as|since|though) )$"
)
"""Stands before a day that may be the subject of its clause."""
_NO_PERIOD: Final = lazy_pattern(r"(?i)\b(?:the|this|that|every|each|and|or|after|before|until|to|will|did) $")
"""'Over the last year' is a length of time; 'it will last weekend trips' is no date."""
_SINCE: Final = lazy_pattern(r"(?i),? ?\(?since\b|.{0,60} since")
"""Tells by itself from when on."""
_BARE: Final = lazy_pattern(rf"(?i)(?:{'|'.join(WEEKDAYS)}|[a-z]{{3,5}})")
"""A weekday without a word that places it."""
_DAYS: Final = lazy_pattern(
    rf"(?i)(?:{'|'.join(WEEKDAYS)})\W{{1,3}}(?:(?:to|till|until|through) )?(?:{'|'.join(WEEKDAYS)})"
)
"""'Monday to Friday', which is mostly any week."""
_NAMES_MORE: Final = lazy_pattern(
    r"(?i) (?!(?:at|in|for|on|with|from|by|to|of|about|after|before|around|because|when|while|if|and|but|or|so|as|that"
    r"|which|who|i|we|he|she|they|it|you|is|was|are|were|will|would|then|too|already|again|instead|my|our|the)(?!\w))\w"
)
"""Stands behind a weekday after which something is named: 'Friday lunch'."""
_FEW: Final = lazy_pattern(r"(?i)\b(?:few|several|some|couple|other) ")
"""A length that is not told: no day comes of it."""
_COUNTED: Final = lazy_pattern(r"(?i)\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) ")
_LONG_UNITS: Final = lazy_pattern(r"(?i)(?:month|year|decade)s?\b")
_UP_TO: Final = lazy_pattern(r"(?i)within(?!\w)")
"""Any day up to then."""


def resolve_relative_days(text: str, said_on: date) -> str:
    """Replace 'yesterday', 'N days ago', 'last month', 'next Friday' and the like by what they mean without the day.

    A week, a weekday or a season is only placed before or after the day: people do not agree which 'next Friday' is.
    What still lasts keeps its words, with its beginning behind them.

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
    """What stands for the words of a time; None where they stay as they are."""
    words = text[time.start : time.end]
    if not time.label or time.period is None:
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
        or text[time.end : time.end + 1] in ("'", "\u2019")
        or (time.start and words[0].isupper())
    ):
        return None
    return f"{_word_before(text, time)}{time.label}"


def _may_tell_beginning(text: str, time: TimeExpression, words: str) -> bool:
    """Whether a length is long and exact, and no beginning is told beside it."""
    if not _COUNTED.search(words) or not _LONG_UNITS.search(words):
        return False
    return not _SINCE.fullmatch(words) and not _SINCE.match(text, time.end)


def _word_before(text: str, time: TimeExpression) -> str:
    """What a sentence needs before a day: 'on 12 May 2026', 'in April 2026', 'the week before 14 May 2026'."""
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
