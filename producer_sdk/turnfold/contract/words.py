"""The words of a note and what each tells: the same when a note is made and when a query looks for it."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.remembered import Remembered, remembers_clauses
from turnfold.contract.terms import STEMS, STOP_WORDS

_STEPS: Final = 3
"""Stored weights are rounded to a third: the same on every machine."""
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
WEIGHT_OF_DIGIT: Final = {digit: int(digit, 36) / _STEPS for digit in _DIGITS}
"""Each weight by its digit."""
_WORD: Final = lazy_pattern(r"[a-z0-9]+(?:[-_./'][a-z0-9]+)*|[^\W\d_a-z]+")
_CJK: Final = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@remembers_clauses
def note_words(text: str) -> tuple[str, ...]:
    """Distinct words of a note without stop words, in order; of scripts without spaces, pairs of characters."""
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    return tuple(dict.fromkeys(chain.from_iterable(map(_PARTS.__getitem__, words))))


@lru_cache(maxsize=8_192)
def note_stems(text: str) -> tuple[str, ...]:
    """The stems of `note_words`: a note is stored with them, and ranked with its segment, chapter and conversation."""
    return tuple(map(STEMS.__getitem__, note_words(text)))


def _parts(word: str) -> tuple[str, ...]:
    if len(word) > 1 and _CJK.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1))
    return () if word in STOP_WORDS else (word.removesuffix("'s"),)


_PARTS: Final = Remembered(_parts)


def digit_of(weight: float) -> str:
    """A weight as one digit of base 36."""
    return _DIGITS[min(len(_DIGITS) - 1, max(1, round(weight * _STEPS)))]
