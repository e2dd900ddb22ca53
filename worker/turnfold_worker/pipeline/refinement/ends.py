"""Mark parts of a model's note with the turn until which they held: 'ramipril 5 mg (until turn 72)'. Pure.

A note that says nothing else is dropped from contexts. A part next to other facts stays, marked with its end, as in
'ramipril 5 mg (until turn 72); bleeding ulcer 2019': its replacement may be in another note, or may not fit.
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
"""Share of the stems of an item or brief that a statement must have for the item to say little else."""
_BESIDE_VALUE: Final = 2
"""Stems of a statement, besides its value, that identify it in an item of another turn; in its own, one does."""
_SEVERAL: Final = lazy_pattern(r"(?i)[.!?;\n] \w|, \w[^,]{8,}, |(?<!\w)and(?!\w)")
"""Separators between the parts of a statement."""
_CLOSING: Final = ".!?"


class OverStatement(NamedTuple):
    """A statement that no longer holds, as stems."""

    seq: int
    by_seq: int
    stems: frozenset[str]
    before: frozenset[str]
    """Stems that the replacing text lacks."""
    since: frozenset[str]
    """Stems that only the replacing text has."""
    has_parts: bool
    """Whether it states several things: which of them no longer holds is unknown."""

    @classmethod
    def of(cls, anchor: SettledAnchor) -> OverStatement:
        stems, instead = frozenset(note_stems(anchor.text)), frozenset(note_stems(anchor.by_text))
        has_parts = _SEVERAL.search(anchor.text) is not None
        return cls(anchor.seq, anchor.by_seq, stems, stems - instead, instead - stems, has_parts)

    def is_all_of(self, stems: frozenset[str]) -> bool:
        """Return whether a brief with these `stems` says little besides the statement."""
        return len(stems & self.stems) >= _MOST * len(stems) and stems.isdisjoint(self.since)

    def is_told(self, stems: frozenset[str], *, own_turn: bool) -> bool:
        """Return whether an item with these `stems` makes the statement, and says nothing of the replacing text."""
        if stems.isdisjoint(self.before) or not stems.isdisjoint(self.since):
            return False
        number = DIGIT if own_turn else TELLING_NUMBER
        values = frozenset(filter(number.search, self.before))
        if values:
            # All values, and the thing that has them: another thing may have the same price.
            things = [stem for stem in stems & self.stems if _tells(stem)]
            return values <= stems and len(things) >= (1 if own_turn else _BESIDE_VALUE)
        changed = frozenset(filter(_tells, self.before))
        return own_turn and bool(changed) and changed <= stems and len(stems & self.stems) >= _MOST * len(stems)


def with_ends(notes: Iterable[ModelNote], over: Sequence[OverStatement]) -> tuple[ModelNote, ...]:
    """Append '(until turn N)' to each item of a brief and each sentence of a text that no longer holds.

    A note is dropped if its brief says little besides what no longer holds.
    """
    marked = (_with_ends(note, over) for note in notes)
    return tuple(note for note in marked if note is not None)


def _with_ends(note: ModelNote, over: Sequence[OverStatement]) -> ModelNote | None:
    # A note that also cites the replacing turn, or a later one, takes the change into account.
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
    """Return whether a stem names something: not a number, a unit or an everyday word."""
    return not (DIGIT.search(stem) or stem in UNIT_NAMES or f"{stem}s" in UNIT_NAMES or is_common(stem))
