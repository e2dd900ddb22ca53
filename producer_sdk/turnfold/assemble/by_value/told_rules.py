"""Drop notes that repeat a shown standing instruction, constraint or preference. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.records import Anchor, AnchorType
from turnfold.contract.words import note_stems

_RULES: Final = frozenset({AnchorType.INSTRUCTION, AnchorType.CONSTRAINT, AnchorType.PREFERENCE})
"""Anchor types that apply to any query; of other facts the notes are kept, which say where they belong."""
_BESIDE: Final = frozenset({"i'll", "will", "please"})
"""Stems that a rule gains when its speaker repeats it."""


def without_rules(notes: Iterable[Note], shown: Iterable[Anchor]) -> list[Note]:
    """Notes in their order, without those whose stems are all in one shown rule of the same speaker."""
    rules = [(anchor.speaker, frozenset(note_stems(anchor.text))) for anchor in shown if anchor.type in _RULES]
    return [note for note in notes if not rules or not _is_told(note, rules)]


def _is_told(note: Note, rules: Iterable[tuple[str | None, frozenset[str]]]) -> bool:
    stems = frozenset(note_stems(note.text)) - _BESIDE
    return any(speaker == note.speaker and stems <= rule for speaker, rule in rules)
