"""Reasons to refuse a note."""

from __future__ import annotations

from enum import StrEnum


class Unfaithful(StrEnum):
    """A reason to refuse a note."""

    NUMBER = "a number that is not in the source"
    NAME = "a name that is not in the source"
    IDENTIFIER = "an identifier, path or address that is not in the source"
    DATE = "a date that is not in the source"
    NEGATION = "a negation that is not in the source"
    AFFIRMATION = "an affirmation of what the source denies"
    SPEAKER = "words of another speaker"
    TURN = "a turn that is not of this segment"
    CONDITION = "a fact of what was said under a condition"
    ORDER = "as done what was only asked for"
    WORD = "a word that is not in the source"
