"""The order in which a conversation's notes are taken when nothing is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from turnfold.contract.coverage import taken, voices
from turnfold.contract.notes import Note

_DECAY: Final = 0.5
_SPEAKS_OF: Final = re.compile(r"(?:They|He|She|Them|His|Her|Their)\b")
_MOST_BEFORE: Final = 20
"""Tokens of a note up to which it is taken because the next one speaks of what it names."""


def ranked(notes: Sequence[Note], said: Mapping[str, int], *, most_tokens: int) -> list[Note]:
    """The best notes with their gains, best first, while they cost at most `most_tokens` together; ties by position.

    `said` are the tokens of each role in the conversation so far. Notes without worth are never among them.
    """
    voice = voices(said)
    worths = [note.worth * voice.get(note.role, 1.0) for note in notes]
    # What was said again in the same words tells nothing, whatever is left of its words.
    said_before: set[tuple[str, str]] = set()
    for i, note in enumerate(notes):
        if (note.speaker, note.text) in said_before:
            worths[i] = 0.0
        said_before.add((note.speaker, note.text))
    order = taken(notes, worths, most_tokens=most_tokens, decay=_DECAY, named_by=_named_by(notes, worths))
    return [notes[i]._replace(gain=round(100 * gain)) for i, gain in order]


def _named_by(notes: Sequence[Note], worths: Sequence[float]) -> dict[int, int]:
    """By position, the note before one of the same turn that begins with `They`, `He` or `She`: it says who that is."""
    found = {}
    for i, note in enumerate(notes[1:], 1):
        if _SPEAKS_OF.match(note.text):
            before = notes[i - 1]
            if before.seq == note.seq and before.tokens <= _MOST_BEFORE and worths[i - 1]:
                found[i] = i - 1
    return found
