"""Words that turn a statement round: one that is left out, or put in, makes another statement."""

from __future__ import annotations

from typing import Final

from turnfold_worker.pipeline.language.common_words import listed

_NEGATIONS: Final = listed("not no never cannot without nothing nobody none nor")


def is_negation(word: str) -> bool:
    """True for a word, in lower case with straight apostrophes, that turns a statement round."""
    return word in _NEGATIONS or word.endswith("n't")
