"""A model's notes as those that contexts are made of: in the place of the rules' notes on the same node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.notes import FIRST_WRITTEN, Note
from turnfold.contract.records import Role
from turnfold.contract.words import digit_of, note_words
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.dates import day_label
from turnfold_worker.pipeline.language.rarity import rarity_of
from turnfold_worker.pipeline.refinement.claims import words_of
from turnfold_worker.pipeline.refinement.notes import ModelNote

_WORTH: Final = {1: 60, 2: 90, 3: 120, 4: 150, 5: 180}
"""By importance, in hundredths, beside 100 for a plain clause of the rules."""
_NAMED: Final = 3.0
"""How much more a name weighs than another word."""


def in_place_of(rules: Sequence[Note], written: Sequence[ModelNote]) -> tuple[Note, ...]:
    """The notes on a node: a model's where it wrote some, with what the rules made of tools' words; else the rules'."""
    if not written:
        return tuple(rules)
    kept = [note for note in rules if note.role == Role.TOOL]
    notes = [_note(note, FIRST_WRITTEN + place) for place, note in enumerate(written)]
    return tuple(sorted([*kept, *notes], key=lambda note: (note.seq, note.place)))


def _note(written: ModelNote, place: int) -> Note:
    text, brief = written.shown, written.shown_in_brief
    day = day_label(written.said_on) if written.said_on else ""
    return Note(
        written.turns[0], place, written.speaker, written.role, day, text, estimate_tokens(text) + 1,
        _WORTH[written.importance], _weights(text), brief=brief,
        brief_tokens=estimate_tokens(brief) + 1 if brief else 0,
    )  # fmt: skip


def _weights(text: str) -> str:
    """The digit of each distinct word of a note."""
    named = {word.text for word in words_of(text)[1:] if word.capital}
    return "".join(digit_of(rarity_of(word) * (_NAMED if word in named else 1.0)) for word in note_words(text))
