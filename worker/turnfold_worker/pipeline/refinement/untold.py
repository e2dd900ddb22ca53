"""Find what a note on a segment adds to the notes on its chapter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from turnfold.contract.notes import bare_words
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.language.words import is_negation
from turnfold_worker.pipeline.refinement.brief import BETWEEN_ITEMS, LIMITING

_ALONE: Final = 3
"""Minimum words of an item that makes sense without the one before."""


def untold(brief: str, told: Sequence[str]) -> str:
    """Return the items of a brief that no chapter note of the same speaker covers; empty if all are covered.

    `told` are those chapter notes in brief. A note covers an item if it has every word of it, denied and limited alike;
    an item of few words stays with the one before.

    >>> untold("sailed to Bergen; saw two lighthouses on the way", ["sailed on to Bergen: storm"])
    'saw two lighthouses on the way'
    """
    known = [[(_stems_of(part), _limits_of(part)) for part in note.split(BETWEEN_ITEMS)] for note in told]
    return BETWEEN_ITEMS.join(item for item in _items(brief) if not any(_tell(parts, item) for parts in known))


def _tell(parts: Sequence[tuple[AbstractSet[str], AbstractSet[str]]], item: str) -> bool:
    """Return whether the parts of a note have every word of an item, denied and limited alike."""
    own = _stems_of(item)
    if not own <= frozenset().union(*(stems for stems, _ in parts)):
        return False
    return _limits_of(item) == frozenset().union(*(limits for stems, limits in parts if not own.isdisjoint(stems)))


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(note_stems(text))


def _limits_of(text: str) -> frozenset[str]:
    words = frozenset(bare_words(text.replace("\u2019", "'")))
    return frozenset(word for word in words if is_negation(word) or word in LIMITING)


def _items(brief: str) -> Iterator[str]:
    held = ""
    for item in brief.split(BETWEEN_ITEMS):
        if held and len(note_stems(item)) >= _ALONE:
            yield held
            held = item
        else:
            held = f"{held}{BETWEEN_ITEMS}{item}" if held else item
    yield held
