"""What a selection takes of the past, and the notes that it takes from, looked at as far as needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from turnfold.contract.notes import OUTLINE_TIERS, Note, Tiers
from turnfold.contract.records import Anchor


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


def looked_at(notes: Sequence[Note], target: int) -> Iterable[Note]:
    """Those of an outline's notes that a context of so many tokens looks at anyway."""
    if not isinstance(notes, Tiers):
        return notes
    return chain.from_iterable(islice(notes.tiers(), 1 + bisect_left(OUTLINE_TIERS, target)))


class Past:
    """Notes of what is folded, best first, that nothing else in the context says. Looked at as far as needed."""

    def __init__(
        self,
        notes: Sequence[Note],
        *,
        before_seq: int,
        anchored: Mapping[int, set[str]],
        in_detail: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._tiers = notes.tiers() if isinstance(notes, Tiers) else iter((notes,))
        self._before_seq = before_seq
        self._anchored = anchored
        self._in_detail = in_detail
        self._kept: list[list[Note]] = []

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(self._parts())

    def _parts(self) -> Iterator[list[Note]]:
        at = 0
        while at < len(self._kept) or self._look_further():
            yield self._kept[at]
            at += 1

    def _look_further(self) -> bool:
        tier = next(self._tiers, None)
        if tier is None:
            return False
        before, anchored = self._before_seq, self._anchored
        kept = [note for note in tier if note.seq < before and not (note.seq in anchored and self._is_anchored(note))]
        for first, last in self._in_detail:
            kept = [note for note in kept if not first <= note.seq <= last]
        self._kept.append(kept)
        return True

    def _is_anchored(self, note: Note) -> bool:
        """True when an anchor that is shown says what the note says."""
        return self._anchored[note.seq].issuperset(note.text.lower().split())
