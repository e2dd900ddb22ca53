"""The days that notes speak of, where the day on which they were said tells which: 'yesterday', 'two weeks ago'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnfold.contract.note_times import NoteTime
from turnfold.contract.notes import Note
from turnfold.dates.resolve import relative_day
from turnfold_worker.pipeline.turns.reading import Reading


def times_of(noted: Iterable[tuple[Note, str]], readings: Sequence[Reading]) -> dict[tuple[int, int], NoteTime]:
    """By turn and place, the times of notes that were made from some words of these turns; most tell none."""
    day_of = {reading.turn.seq: reading.day for reading in readings}
    found: dict[tuple[int, int], NoteTime] = {}
    for note, said in noted:
        said_on = day_of[note.seq]
        meant = relative_day(said, said_on) if said_on is not None else None
        # A note may leave those words out.
        if meant is not None and meant in note.text:
            found[note.seq, note.place] = NoteTime(meant)
    return found
