"""Notes that say again what a standing instruction, a constraint or a preference says that is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.records import Anchor, AnchorType
from turnfold.contract.words import note_stems

_RULES: Final = frozenset({AnchorType.INSTRUCTION, AnchorType.CONSTRAINT, AnchorType.PREFERENCE})
"""What stands beside the answer to any query: of other facts the note tells where they belong."""
_BESIDE: Final = frozenset({"i'll", "will", "please"})
"""Stems that a rule gains where its speaker says it once more."""


def without_rules(notes: Iterable[Note], shown: Iterable[Anchor]) -> list[Note]:
    """Notes in their order without those of which every telling word stands in one shown rule of the same speaker."""
    rules = [(anchor.speaker, frozenset(note_stems(anchor.text))) for anchor in shown if anchor.type in _RULES]
    return [note for note in notes if not rules or not _is_told(note, rules)]


def _is_told(note: Note, rules: Iterable[tuple[str | None, frozenset[str]]]) -> bool:
    stems = frozenset(note_stems(note.text)) - _BESIDE
    return any(speaker == note.speaker and stems <= rule for speaker, rule in rules)
