"""Candidate notes of the past, evaluated lazily, and the results of selecting among them."""

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
"""Share of the notes of folded turns, the oldest, that only change in steps."""
_OF_DAY: Final = lazy_pattern(
    r"(?i)on|in|by|the|of|before|after|week|weekend|month|year|\d{1,2}|(?:19|20)\d\d|" + "|".join((*MONTHS, *WEEKDAYS))
)
"""Words with which a note states a day that its turn gives relatively: 'in 2020' for 'three years ago'."""
Told = tuple[int, str, str]
"""Group, day and label of a note."""
Position = tuple[int, int] | tuple[int, int, int, str, int, int]
"""Sort key of a note in a context: turn and place, or for an item its group and its order in there."""
Standing = tuple[list[Position], list[Told]]
"""Positions of selected notes in order, with the group, day and label of each."""
NOTHING_STANDS: Final[Standing] = ([], [])
"""Read, never changed."""


class Taken(NamedTuple):
    """Selected notes in order of selection, and their cost with labels."""

    notes: list[Note]
    tokens: int
    standing: Standing
    """All notes selected so far, by which further ones are priced."""


class TakenAnchors(NamedTuple):
    """Anchors in merge order, what they cost with their header, and their words by turn."""

    anchors: tuple[Anchor, ...]
    tokens: int
    words: dict[int, set[str]]


def filled_from(chosen: Sequence[Note], starts: Iterable[int] = ()) -> int:
    """The turn before which the selected notes stay the same when a context is filled.

    With `starts`, the first turns of groups, the first start from there on, if there is one: a group stays whole or not
    at all.
    """
    end = sorted([note.seq for note in chosen])[int(_STAYS * len(chosen))]
    return min((start for start in starts if start >= end), default=end)


class Past:
    """Notes of folded turns that nothing else in the context repeats, best first. Evaluated lazily."""

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
        """`in_detail` and `cold` are turn ranges: notes of the former are dropped, each cold range keeps one note.

        `said` caches, by number of a part, the places of notes that the anchors repeat.
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
        """True if made for turns before `seq` and for the same anchor words."""
        return self._before_seq == seq and self._anchored is anchored

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(compress(notes, kept) for notes, kept in self._parts())

    def without_anchored(self, notes: Iterable[Note]) -> list[Note]:
        """Notes of later turns without those that a shown anchor repeats."""
        return [
            note
            for note in notes
            if note.seq not in self._anchored
            or not self._is_anchored(note.seq, note.speaker, frozenset(bare_words(note.text)))
        ]

    def near_the_end_of(
        self, chosen: Sequence[Note], others: Iterable[Note] = (), *, starts: Iterable[int] = ()
    ) -> list[Note]:
        """Notes near the end of `chosen` that are neither in `chosen` nor in `others`."""
        end = filled_from(chosen, starts)
        known = {(note.seq, note.place) for note in (*chosen, *others) if note.seq >= end}
        return [
            notes[at]
            for notes, kept in self._parts()
            for at, seq in enumerate(notes.seqs)
            if seq >= end and kept[at] and (seq, notes.places[at]) not in known
        ]

    def _parts(self) -> Iterator[tuple[NoteList, list[bool]]]:
        """Lists of notes, each with a mask of those that are kept."""
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
        """Keep only the first note of each cold segment, which is its best."""
        after = list(kept)
        for at, seq in enumerate(notes.seqs):
            place = bisect_right(self._cold, (seq, math.inf)) - 1
            if after[at] and place >= 0 and seq <= self._cold[place][1]:
                after[at] = place not in self._told_of_cold
                self._told_of_cold.add(place)
        return after

    def _said_by_anchors(self, notes: NoteList) -> list[int]:
        """Places of the notes that an anchor repeats."""
        seqs = notes.seqs
        return [
            at for at, is_anchored in enumerate(map(self._anchored.__contains__, seqs))
            if is_anchored and self._is_anchored(seqs[at], notes.speaker(at), notes.bare_words(at))
        ]  # fmt: skip

    def _is_anchored(self, seq: int, speaker: str, words: frozenset[str]) -> bool:
        """True if shown anchors of the turn contain every word of a note, but for its speaker and day."""
        unsaid, name = words - self._anchored[seq], speaker.lower()
        return all(word in {name, f"{name}'s"} or _OF_DAY.fullmatch(word) for word in unsaid)
