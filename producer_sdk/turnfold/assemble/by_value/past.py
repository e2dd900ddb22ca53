"""What a selection takes of the past, and the notes that it takes from, looked at as far as needed."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.note_lists import NoteList, Tiers
from turnfold.contract.notes import Note, bare_words
from turnfold.contract.periods import MONTHS, WEEKDAYS
from turnfold.contract.records import Anchor

_STAYS: Final = 0.9
"""Of the notes of what is folded: those that only change in steps."""
_OF_DAY: Final = lazy_pattern(
    r"(?i)on|in|by|the|of|before|after|week|weekend|month|year|\d{1,2}|(?:19|20)\d\d|" + "|".join((*MONTHS, *WEEKDAYS))
)
"""Words by which a note tells a day that its turn counts from its own: 'in 2020' for 'three years ago'."""
Told = tuple[int, str, str]
"""Group, day and label of a note."""
Position = tuple[int, int] | tuple[int, int, int, str, int, int]
"""By what notes of a context sort: turn and place, or for an item its group and its order in there."""
Standing = tuple[list[Position], list[Told]]
"""Positions of notes in their order, and what decides what stands between them."""
NOTHING_STANDS: Final[Standing] = ([], [])
"""Read, never changed."""


class Taken(NamedTuple):
    """Notes as they are shown, in the order in which they were taken, and what they cost with their labels."""

    notes: list[Note]
    tokens: int
    standing: Standing
    """All notes that stand there now: with them further ones are priced."""


class TakenAnchors(NamedTuple):
    """Anchors in merge order, what they cost with their header, and their words by turn."""

    anchors: tuple[Anchor, ...]
    tokens: int
    words: dict[int, set[str]]


def filled_from(chosen: Sequence[Note], starts: Iterable[int] = ()) -> int:
    """The turn before which notes that are chosen stay alone, whatever is added to fill a context.

    With `starts`, the first turns of groups, the next of them, if there is one: a group stays whole or not at all.
    """
    end = sorted([note.seq for note in chosen])[int(_STAYS * len(chosen))]
    return min((start for start in starts if start >= end), default=end)


class Past:
    """Notes of what is folded, best first, that nothing else in the context says. Looked at as far as needed."""

    def __init__(
        self,
        notes: Sequence[Note],
        *,
        before_seq: int,
        anchored: Mapping[int, set[str]],
        in_detail: Sequence[tuple[int, int]] = (),
        cold: Sequence[tuple[int, int]] = (),
        said: dict[int, list[int]] | None = None,
    ) -> None:
        """`in_detail` and `cold` are first and last turns: of the former nothing is kept, of each cold one a note.

        `said` remembers, by the number of a part, the places of notes that the anchors say.
        """
        self._lists = Tiers.of(notes).lists()
        self._before_seq = before_seq
        self._anchored = anchored
        self._said = {} if said is None else said
        self._in_detail = in_detail
        self._cold = list(cold)
        self._told_of_cold: set[int] = set()
        self._looked_at: list[tuple[NoteList, list[bool]]] = []

    def is_before(self, seq: int, anchored: Mapping[int, set[str]]) -> bool:
        """True where it is of the turns before a number, beside these words of anchors."""
        return self._before_seq == seq and self._anchored is anchored

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(compress(notes, kept) for notes, kept in self._parts())

    def without_anchored(self, notes: Iterable[Note]) -> list[Note]:
        """Notes of later turns without those that an anchor says which is shown."""
        return [
            note
            for note in notes
            if note.seq not in self._anchored
            or not self._is_anchored(note.seq, note.speaker, frozenset(bare_words(note.text)))
        ]

    def near_the_end_of(
        self, chosen: Sequence[Note], others: Iterable[Note] = (), *, starts: Iterable[int] = ()
    ) -> list[Note]:
        """Those near the end of notes that are chosen, which are neither among these nor among others."""
        end = filled_from(chosen, starts)
        known = {(note.seq, note.place) for note in (*chosen, *others) if note.seq >= end}
        return [
            notes[at]
            for notes, kept in self._parts()
            for at, seq in enumerate(notes.seqs)
            if seq >= end and kept[at] and (seq, notes.places[at]) not in known
        ]

    def _parts(self) -> Iterator[tuple[NoteList, list[bool]]]:
        """Notes, and which of them are kept."""
        at = 0
        while at < len(self._looked_at) or self._look_further():
            yield self._looked_at[at]
            at += 1

    def _look_further(self) -> bool:
        notes = next(self._lists, None)
        if notes is None:
            return False
        before_seq, part = self._before_seq, len(self._looked_at)
        if part not in self._said:
            self._said[part] = self._said_by_anchors(notes)
        kept = [seq < before_seq for seq in notes.seqs]
        for at in self._said[part]:
            kept[at] = False
        for first, last in self._in_detail:
            kept = [keep and not first <= seq <= last for keep, seq in zip(kept, notes.seqs, strict=True)]
        self._looked_at.append((notes, self._best_of_cold(notes, kept) if self._cold else kept))
        return True

    def _best_of_cold(self, notes: NoteList, kept: Sequence[bool]) -> list[bool]:
        """Of each cold segment the first note alone: they are looked at best first."""
        after = list(kept)
        for at, seq in enumerate(notes.seqs):
            place = bisect_right(self._cold, (seq, math.inf)) - 1
            if after[at] and place >= 0 and seq <= self._cold[place][1]:
                after[at] = place not in self._told_of_cold
                self._told_of_cold.add(place)
        return after

    def _said_by_anchors(self, notes: NoteList) -> list[int]:
        """The places of the notes that an anchor says."""
        seqs = notes.seqs
        return [
            at for at, is_anchored in enumerate(map(self._anchored.__contains__, seqs))
            if is_anchored and self._is_anchored(seqs[at], notes.speaker(at), notes.bare_words(at))
        ]  # fmt: skip

    def _is_anchored(self, seq: int, speaker: str, words: frozenset[str]) -> bool:
        """True when an anchor that is shown says what a note of these words says."""
        unsaid, name = words - self._anchored[seq], speaker.lower()
        return all(word in {name, f"{name}'s"} or _OF_DAY.fullmatch(word) for word in unsaid)
