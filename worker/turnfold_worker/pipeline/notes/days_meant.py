"""The time that notes speak of: one that their words name, counted from the day on which they were said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnfold.contract.note_times import NoteTime
from turnfold.contract.notes import Note
from turnfold.dates.ages import age_time
from turnfold.dates.note_time import time_of
from turnfold_worker.pipeline.turns.births import births_of
from turnfold_worker.pipeline.turns.reading import Reading


def times_of(noted: Iterable[tuple[Note, str]], readings: Sequence[Reading]) -> dict[tuple[int, int], NoteTime]:
    """By turn and place, the times of notes that were made from some words of these turns; most tell none."""
    reading_of, births = {reading.turn.seq: reading for reading in readings}, births_of(readings)
    times: dict[tuple[int, int], NoteTime] = {}
    for note, spoken in noted:
        reading = reading_of[note.seq]
        time = time_of(spoken, reading.day) or age_time(spoken, births.get(reading.speaker))
        if time is not None:
            times[note.seq, note.place] = time
    return times
