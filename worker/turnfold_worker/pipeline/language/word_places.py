"""Negations: words whose omission or insertion reverses a statement."""

from __future__ import annotations

from typing import Final

from turnfold_worker.pipeline.language.common_words import listed

_NEGATIONS: Final = listed("not no never cannot without nothing nobody none nor")


def is_negation(word: str) -> bool:
    """True for a negating word, in lower case with straight apostrophes."""
    return word in _NEGATIONS or word.endswith("n't")
