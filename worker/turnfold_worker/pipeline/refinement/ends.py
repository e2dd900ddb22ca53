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
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.quantities import UNIT_NAMES
from turnfold_worker.pipeline.notes.overtaken_values import DIGIT, TELLING_NUMBER, SettledAnchor
from turnfold_worker.pipeline.refinement.brief import BETWEEN_ITEMS
from turnfold_worker.pipeline.refinement.claims import whole_sentences
from turnfold_worker.pipeline.refinement.negations import denies
from turnfold_worker.pipeline.refinement.notes import ModelNote

_MOST: Final = 0.7
"""Of the stems of an item or a brief: with as many in a statement it says little else."""
_BESIDE_VALUE: Final = 2
"""Stems of a statement beside its value that tell it in words of another turn; in words of its own turn one does."""
_SEVERAL: Final = lazy_pattern(r"(?i)[.!?;\n] \w|, \w[^,]{8,}, |(?<!\w)and(?!\w)")
"""Between parts of a statement."""
_CLOSING: Final = ".!?"


class OverStatement(NamedTuple):
    """A statement that is over, by its stems."""

    seq: int
    by_seq: int
    stems: frozenset[str]
    before: frozenset[str]
    """Those that what took its place has not."""
    since: frozenset[str]
    """Those that only what took its place has."""
    has_parts: bool
    """Whether it states several things: which of them is over is not known."""

    @classmethod
    def of(cls, anchor: SettledAnchor) -> OverStatement:
        stems, instead = frozenset(note_stems(anchor.text)), frozenset(note_stems(anchor.by_text))
        has_parts = _SEVERAL.search(anchor.text) is not None
        return cls(anchor.seq, anchor.by_seq, stems, stems - instead, instead - stems, has_parts)

    def is_all_of(self, stems: frozenset[str]) -> bool:
        """Whether a note with such stems in brief says little else."""
        return len(stems & self.stems) >= _MOST * len(stems) and stems.isdisjoint(self.since)

    def is_told(self, stems: frozenset[str], *, own_turn: bool) -> bool:
        """Whether an item with such stems says the statement, and nothing of what came then."""
        if stems.isdisjoint(self.before) or not stems.isdisjoint(self.since):
            return False
        number = DIGIT if own_turn else TELLING_NUMBER
        values = frozenset(filter(number.search, self.before))
        if values:
            # All of them, with what has the value: no other thing of the same price.
            things = [stem for stem in stems & self.stems if _tells(stem)]
            return values <= stems and len(things) >= (1 if own_turn else _BESIDE_VALUE)
        changed = frozenset(filter(_tells, self.before))
        return own_turn and bool(changed) and changed <= stems and len(stems & self.stems) >= _MOST * len(stems)


def with_ends(notes: Iterable[ModelNote], over: Sequence[OverStatement]) -> tuple[ModelNote, ...]:
    """Notes with the turn behind each item of a brief, and each sentence of a text, that says what was over then.

    A note that says in brief what is over, and little else, is left out.
    """
    marked = (_with_ends(note, over) for note in notes)
    return tuple(note for note in marked if note is not None)


def _with_ends(note: ModelNote, over: Sequence[OverStatement]) -> ModelNote | None:
    # Who wrote a note on a later turn, too, told the statement as one that is over.
    later = [statement for statement in over if max(note.turns) < statement.by_seq]
    if not later:
        return note
    stems = frozenset(note_stems(note.brief or note.text))
    if any(statement.seq == note.turns[0] and statement.is_all_of(stems) for statement in later):
        return None
    single = [statement for statement in later if not statement.has_parts]
    items = [_with_end(item, note.turns, single) for item in note.brief.split(BETWEEN_ITEMS)]
    sentences = [_with_end(sentence, note.turns, single) for sentence in whole_sentences(note.text)]
    return replace(note, brief=BETWEEN_ITEMS.join(items), text=" ".join(sentences))


def _with_end(item: str, turns: Sequence[int], statements: Sequence[OverStatement]) -> str:
    stems = frozenset(note_stems(item))
    ends = [one.by_seq for one in statements if one.is_told(stems, own_turn=one.seq in turns)]
    if not ends or denies(item):
        return item
    bare = item.rstrip(_CLOSING)
    return f"{bare} (until turn {min(ends)}){item[len(bare) :]}"


def _tells(stem: str) -> bool:
    """Whether a stem names something: no number, unit or everyday word."""
    return not (DIGIT.search(stem) or stem in UNIT_NAMES or f"{stem}s" in UNIT_NAMES or is_common(stem))
