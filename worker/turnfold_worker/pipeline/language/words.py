"""Splits texts into words for comparison inside a fold: cheaper than the terms of search, and nearly as good.

Nothing computed here is stored, so the rules may change without a new version of the postings.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STOP_WORDS, terms
from turnfold_worker.pipeline.language.common_words import WEIGHTS, listed

SPECIFIC: Final = 3
"""Minimum weight of a word that indicates what a text is about."""

WORD_EDGES: Final = '"“”()[]{}!,.;:?*_`…'
"""Marks around a word that are not part of it."""

_WORD: Final = lazy_pattern(r"[a-z0-9]+(?:[-_./'][a-z0-9]+)*")
_DIGIT: Final = lazy_pattern("[0-9]")
_NEGATIONS: Final = listed("not no never cannot without nothing nobody none nor")


def has_digit(text: str) -> bool:
    """True for a text with a digit of any script."""
    return _DIGIT.search(text) is not None if text.isascii() else any(map(str.isdigit, text))


def is_negation(word: str) -> bool:
    """True for a negating word, in lower case with straight apostrophes."""
    return word in _NEGATIONS or word.endswith("n't")


def words(text: str) -> list[str]:
    """Return the words of a text in order, without stop words or plural `s`; non-ASCII texts are split by `terms`."""
    if not text.isascii():
        text = text.replace("\u2019", "'").replace("–", "-").replace("—", "-").replace("…", ".")
        if not text.isascii():
            return terms(text)
    return [word.removesuffix("s") for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def telling_words(text: str) -> tuple[tuple[str, int], ...]:
    """Return the distinct words of a text with their weights, in order."""
    return tuple((word, WEIGHTS[word]) for word in dict.fromkeys(words(text)) if word)


def specific_words(text: str) -> frozenset[str]:
    """Return the words that indicate what a text is about."""
    return frozenset(word for word in words(text) if WEIGHTS[word] >= SPECIFIC)


def word_vector(text: str) -> dict[str, int]:
    """Return each word's count times its weight."""
    return {word: count * WEIGHTS[word] for word, count in Counter(words(text)).items()}
