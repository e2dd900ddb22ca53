"""Find the anchors that a model's notes cover: contexts need not show both. Pure.

Anchors that bind, correct, promise or replace another stay verbatim next to the note. So do questions, unless the model
itself quoted them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.notes import bare_words
from turnfold.contract.records import HEALTH_RANK, Anchor, AnchorType
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.refinement.claims import sentences_of
from turnfold_worker.pipeline.refinement.negations import denies
from turnfold_worker.pipeline.refinement.notes import ModelNote

_TYPES: Final = frozenset({AnchorType.DECISION, AnchorType.PREFERENCE, AnchorType.CRITICAL_FACT})
_SHARE: Final = 1 / 3
"""Share of an anchor's content words that a note of its turn must have: the rest is phrasing."""
_SHARE_OF_DECISION: Final = 1 / 2
_LEAST_LETTERS: Final = 4
_LEAST_IMPORTANCE: Final = 4
"""Minimum importance of a note that stands for an anchor."""


def told_anchors(anchors: Iterable[Anchor], notes: Sequence[ModelNote]) -> tuple[int, ...]:
    """Return the sorted ids of the anchors that a note of their turn covers."""
    return tuple(
        sorted([anchor.id for anchor in anchors if _may_be_told(anchor) and any(tells(note, anchor) for note in notes)])
    )


def raised(notes: Sequence[ModelNote], anchors: Iterable[Anchor]) -> tuple[ModelNote, ...]:
    """Raise the notes that cover an anchor to at least `_LEAST_IMPORTANCE`, as they stand for the anchor."""
    anchors = [anchor for anchor in anchors if _may_be_told(anchor)]
    return tuple(
        replace(note, importance=max(_LEAST_IMPORTANCE, note.importance))
        if any(tells(note, anchor) for anchor in anchors)
        else note
        for note in notes
    )


def _may_be_told(anchor: Anchor) -> bool:
    # An answer that ignores a person's health may harm them: such anchors stay, whichever notes fit.
    # A question that a model quotes is in its notes, too; the rules' questions stay.
    is_soft = anchor.type in _TYPES or (anchor.id < 0 and anchor.type is AnchorType.UNRESOLVED_QUESTION)
    return is_soft and anchor.rank < HEALTH_RANK and anchor.replaces is None


def tells(note: ModelNote, anchor: Anchor) -> bool:
    """Return whether a note covers an anchor of its turns: all numbers, and enough of the other words in one sentence.

    Enough is a third of the content words, or half for a decision. The sentence must deny something if and only if the
    anchor does.
    """
    if anchor.turn_seq not in note.turns:
        return False
    words = bare_words(anchor.text)
    numbers = {STEMS[word] for word in words if any(map(str.isdigit, word))}
    telling = {STEMS[word] for word in words if len(word) >= _LEAST_LETTERS and not is_common(word)}
    if not telling or not numbers <= _stems(note.text):
        return False
    denied = denies(anchor.text)
    share = _SHARE_OF_DECISION if anchor.type is AnchorType.DECISION else _SHARE
    return any(
        len(telling & _stems(sentence)) >= share * len(telling) and denies(sentence) is denied
        for sentence in sentences_of(note.text)
    )


def _stems(text: str) -> set[str]:
    return {STEMS[word] for word in bare_words(text)}
