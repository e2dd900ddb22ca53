"""Until which turn a part of a model's note held: 'ramipril 5 mg (until turn 72); bleeding ulcer 2019'. Pure.

A note that says nothing else leaves contexts. What stands beside other facts stays, and says so: what takes its place
may stand elsewhere, or have no room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor
from turnfold_worker.pipeline.refinement.brief import BETWEEN_ITEMS
from turnfold_worker.pipeline.refinement.claims import whole_sentences
from turnfold_worker.pipeline.refinement.notes import ModelNote

_MOST_OF_ITEM: Final = 0.7
"""Of an item's stems: with as many in a statement it says little else."""
_BESIDE_VALUE: Final = 2
"""Stems of a statement beside its value that tell it in words of another turn; in words of its own turn one does."""
_NUMBER: Final = lazy_pattern(r"\d")
_TELLING_NUMBER: Final = lazy_pattern(r"\d\W?\d")
_CLOSING: Final = ".!?"


class _Over(NamedTuple):
    """A statement that is over, by its stems."""

    seq: int
    by_seq: int
    stems: frozenset[str]
    own: frozenset[str]
    """Those that what took its place has not."""
    since: frozenset[str]
    """Those that only what took its place has."""

    @classmethod
    def of(cls, anchor: SettledAnchor) -> _Over:
        stems, instead = frozenset(note_stems(anchor.text)), frozenset(note_stems(anchor.by_text))
        return cls(anchor.seq, anchor.by_seq, stems, stems - instead, instead - stems)

    def is_told(self, item: str, turns: Sequence[int]) -> bool:
        """Whether an item of a note on such turns says the statement, and nothing of what came then."""
        stems = frozenset(note_stems(item))
        if not stems & self.own or stems & self.since:
            return False
        says_it = self.seq in turns
        number = _NUMBER if says_it else _TELLING_NUMBER
        values = frozenset(filter(number.search, self.own))
        shared = stems & self.stems
        if values:
            # All of them: of a statement of two things the one that goes on to hold may have the other number.
            return values <= stems and len(shared - values) >= (1 if says_it else _BESIDE_VALUE)
        return says_it and len(shared) >= _MOST_OF_ITEM * len(stems)


def with_ends(notes: Iterable[ModelNote], over: Iterable[SettledAnchor]) -> tuple[ModelNote, ...]:
    """Notes with the turn behind each item of a brief, and each sentence of a text, that says what was over then."""
    statements = [_Over.of(anchor) for anchor in over]
    return tuple(_with_ends(note, [one for one in statements if _comes_later(one, note)]) for note in notes)


def _comes_later(one: _Over, note: ModelNote) -> bool:
    # Who wrote a note on both turns told the earlier statement as one that is over.
    return note.turns[0] < one.by_seq and one.by_seq not in note.turns


def _with_ends(note: ModelNote, over: Sequence[_Over]) -> ModelNote:
    if not over:
        return note
    items = [_with_end(item, note.turns, over) for item in note.brief.split(BETWEEN_ITEMS)]
    sentences = [_with_end(sentence, note.turns, over) for sentence in whole_sentences(note.text)]
    return replace(note, brief=BETWEEN_ITEMS.join(items), text=" ".join(sentences))


def _with_end(said: str, turns: Sequence[int], over: Sequence[_Over]) -> str:
    ends = [one.by_seq for one in over if one.is_told(said, turns)]
    if not ends:
        return said
    bare = said.rstrip(_CLOSING)
    return f"{bare} (until turn {min(ends)}){said[len(bare) :]}"
