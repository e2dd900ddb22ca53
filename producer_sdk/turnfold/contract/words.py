"""Words of a note and their weights: tokenized the same when a note is made and when a query looks for it."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Final

from turnfold.contract.bounded_memo import Remembered, remembers_clauses
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS, STOP_WORDS

_STEPS: Final = 3
"""Stored weights are rounded to thirds, the same on every machine."""
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
WEIGHT_OF_DIGIT: Final = {digit: int(digit, 36) / _STEPS for digit in _DIGITS}
"""Weight by its digit."""
_WORD: Final = lazy_pattern(r"[a-z0-9]+(?:[-_./'][a-z0-9]+)*|[^\W\d_a-z]+")
_CJK: Final = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@remembers_clauses
def note_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a note in order, without stop words; character pairs for scripts without spaces."""
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    return tuple(dict.fromkeys(chain.from_iterable(map(_PARTS.__getitem__, words))))


@lru_cache(maxsize=8_192)
def note_stems(text: str) -> tuple[str, ...]:
    """Return the stems of `note_words`, by which notes are stored and ranked in segment, chapter and conversation."""
    return tuple(map(STEMS.__getitem__, note_words(text)))


def _parts(word: str) -> tuple[str, ...]:
    if len(word) > 1 and _CJK.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1))
    return () if word in STOP_WORDS else (word.removesuffix("'s"),)


_PARTS: Final = Remembered(_parts)


def digit_of(weight: float) -> str:
    """Encode a weight as a base-36 digit."""
    return _DIGITS[min(len(_DIGITS) - 1, max(1, round(weight * _STEPS)))]
