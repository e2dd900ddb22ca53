"""Converts numbers written in words to digits: 'two thousand euros', 'thirty-five hundred', 'a dozen hens'."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.dates.numbers import NUMBER_OF

_BY_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES: Final = {"zero": 0, **{word: number for word, number in NUMBER_OF.items() if number < 20}}
TENS: Final = {word: 10 * number for number, word in enumerate(_BY_TENS.split(), start=2)}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_DOZEN: Final = 12
_BELOW_HUNDRED: Final = rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join([*ONES][1:10])}))?|{'|'.join([*ONES][1:])})"
_SCALE: Final = rf"(?:{'|'.join(_SCALES)})"
_UNIT: Final = (
    r"(?:euros?|dollars?|pounds?|francs?|crowns?|yen|cents?|pence|percent|per cent|(?:milli)?seconds?|minutes?|hours?|"
    r"days?|nights?|weeks?|fortnights?|months?|years?|kilos?|kilograms?|grams?|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|"
    r"lit(?:er|re)s?)"
)
_NUMBER: Final = lazy_pattern(
    rf"(?<![\w-])(?:(?P<dozens>half a|an?|{_BELOW_HUNDRED}) dozen"
    rf"|(?P<halves>{_BELOW_HUNDRED}) and a half (?P<of>{_SCALE})"
    rf"|(?P<scaled>(?:an?|{_BELOW_HUNDRED}) {_SCALE}"
    rf"(?: {_SCALE}|(?: and)? {_BELOW_HUNDRED}|,(?: and)? {_BELOW_HUNDRED} {_SCALE}){{0,8}})"
    rf"|(?P<plain>(?!one(?!\w)){_BELOW_HUNDRED})(?=[ -]{_UNIT}(?!\w)))(?![\w-]*-)(?!\w)",
    re.IGNORECASE,
)
"""A single word counts as a number only before a unit: 'ten of us' and 'the one' stay."""
_SIGNS: Final = ("dozen", "hundred", "thousand", "million", "billion", *[*ONES][2:], *TENS)
"""Substrings of which a lower-case text with such a number contains at least one; most texts contain none."""


def with_digits(text: str) -> str:
    """Rewrite the amounts in a text that are written in words as digits.

    >>> with_digits("thirty-five hundred euros, a dozen hens, ninety minutes, two and a half thousand")
    '3500 euros, 12 hens, 90 minutes, 2500'
    >>> with_digits("One of the two, a few thousand, ten o'clock")
    "One of the two, a few thousand, ten o'clock"
    """
    lowered = text.lower()
    return _NUMBER.sub(_digits, text) if any(map(lowered.__contains__, _SIGNS)) else text


def _digits(match: re.Match[str]) -> str:
    if match["dozens"]:
        times = match["dozens"].lower()
        return str(_DOZEN // 2 if times == "half a" else _DOZEN * _value(times))
    if match["halves"]:
        scale = _SCALES[match["of"].lower()]
        return str(_value(match["halves"]) * scale + scale // 2)
    return str(_value(match["scaled"] or match["plain"]))


def _value(words: str) -> int:
    """Return the value of a phrase of number words, scales, articles and 'and'."""
    whole, part = 0, 0
    for word in words.lower().replace("-", " ").replace(",", " ").split():
        if word in {"a", "an"}:
            part += 1
        elif word in _SCALES and _SCALES[word] > _SCALES["hundred"]:
            whole, part = whole + part * _SCALES[word], 0
        elif word in _SCALES:
            part *= _SCALES[word]
        elif word != "and":
            part += ONES.get(word, TENS.get(word, 0))
    return whole + part
