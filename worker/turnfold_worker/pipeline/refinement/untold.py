"""What a note on a segment tells beside the notes on its chapter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.language.rarity import rarity_of
from turnfold_worker.pipeline.refinement.claims import words_of

BETWEEN_ITEMS: Final = "; "
_TOLD: Final = 0.65
"""Share of what the words of an item weigh that one note on the chapter has."""
_ALONE: Final = 3
"""Words with which an item says something without the one before it."""


def untold(brief: str, told: Sequence[AbstractSet[str]]) -> str:
    """The items of a brief that no note of the same speaker on its chapter tells; empty where one tells each.

    `told` has the stems of each of those notes. An item with a number or a name that such a note does not have is
    always left, and one of few words stays with the one before it.

    >>> untold("sailed to Bergen; saw two lighthouses on the way", [frozenset(note_stems("sailed on to Bergen"))])
    'saw two lighthouses on the way'
    """
    items = list(_items(brief))
    left = [item for item in items if not any(_tells(stems, item) for stems in told)]
    if len(left) == len(items):
        return brief
    return BETWEEN_ITEMS.join(left) if any(len(note_stems(item)) > _ALONE or _names(item) for item in left) else ""


def _items(brief: str) -> Iterator[str]:
    held = ""
    for item in brief.split(BETWEEN_ITEMS):
        if held and len(note_stems(item)) >= _ALONE:
            yield held
            held = item
        else:
            held = f"{held}{BETWEEN_ITEMS}{item}" if held else item
    yield held


def _names(item: str) -> frozenset[str]:
    """The stems of names and numbers."""
    named = {stem for word in words_of(item) if word.capital for stem in note_stems(word.text)}
    return frozenset(named | {stem for stem in note_stems(item) if any(map(str.isdigit, stem))})


def _tells(stems: AbstractSet[str], item: str) -> bool:
    weighed = {stem: rarity_of(stem) for stem in note_stems(item)}
    missing = weighed.keys() - stems
    if missing & _names(item):
        return False
    return sum(weighed[stem] for stem in missing) <= (1.0 - _TOLD) * sum(weighed.values())
