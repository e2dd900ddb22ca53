"""What stands beside a word: for rules that ask whether it may be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed

Rule = Callable[[Sequence[str], Sequence[str], int], bool]
"""Of words as they stand, the same bare and in lower case, and a place: True when the word there is needed."""

NUMBER: Final = lazy_pattern(r"^[\W_]{0,2}\d")
"""The beginning of a number."""
_ENDS: Final = lazy_pattern(r"[.,;:!?)]$")
_NEGATIONS: Final = listed("not no never cannot without nothing nobody none nor")


def is_negation(word: str) -> bool:
    """True for a word, in lower case with straight apostrophes, that turns a statement round."""
    return word in _NEGATIONS or word.endswith("n't")


def before(bare: Sequence[str], i: int) -> str:
    """The word before a place; nothing at the beginning."""
    return bare[i - 1] if i else ""


def after(bare: Sequence[str], i: int) -> str:
    """The word after a place; nothing at the end."""
    return bare[i + 1] if i + 1 < len(bare) else ""


def ends(words: Sequence[str], i: int) -> bool:
    """True for the last word of a clause, or of what a comma or another mark closes."""
    return i + 1 == len(words) or bool(_ENDS.search(words[i]))
