"""What a selection takes of the past, and the notes that it takes from, looked at as far as needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnfold.contract.notes import Note, Tiers
from turnfold.contract.records import Anchor
from turnfold.contract.words import note_words

ANCHORED = 0.7
"""Of a note's words: with so many in an anchor that is shown, it says what the anchor says."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Notes in the order in which they were taken, and what they cost with their labels."""

    notes: list[Note]
    tokens: int


@dataclass(frozen=True, slots=True)
class TakenAnchors:
    """Anchors in merge order, what they cost with their header, and their words by turn."""

    anchors: tuple[Anchor, ...]
    tokens: int
    words: dict[int, set[str]]


class Past:
    """Notes of what is folded, best first, that nothing else in the context says. Looked at as far as needed."""

    def __init__(self, notes: Sequence[Note], *, before_seq: int, anchored: Mapping[int, set[str]]) -> None:
        self._tiers = notes.tiers() if isinstance(notes, Tiers) else iter((notes,))
        self._before_seq = before_seq
        self._anchored = anchored
        self._kept: list[list[Note]] = []

    def __iter__(self) -> Iterator[Note]:
        at = 0
        while at < len(self._kept) or self._look_further():
            yield from self._kept[at]
            at += 1

    def _look_further(self) -> bool:
        tier = next(self._tiers, None)
        if tier is None:
            return False
        before, anchored = self._before_seq, self._anchored
        self._kept.append(
            [note for note in tier if note.seq < before and not (note.seq in anchored and self._is_anchored(note))]
        )
        return True

    def _is_anchored(self, note: Note) -> bool:
        """True when an anchor that is shown says what the note says."""
        words = note_words(note.text)
        return ANCHORED * len(words) <= len(self._anchored[note.seq].intersection(words))
