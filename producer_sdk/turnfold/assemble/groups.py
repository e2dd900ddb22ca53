"""Neighbouring turns under one line of a context."""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.contract.notes import Note


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring turns under one line, with the notes of them that are shown."""

    first_seq: int
    last_seq: int
    marker: str
    notes: tuple[Note, ...]
