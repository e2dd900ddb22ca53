"""Weigh a segment's notes by its own anchors, and treat notes from pasted text apart. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.records import AnchorState, AnchorType
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.notes.overtaken_values import replaces, says_one_of, value_taken_back
from turnfold_worker.pipeline.turns.reading import Reading

_SETTLES: Final = 2.0
"""Factor on the worth of a note that decides or corrects something."""
_SETTLING: Final = frozenset({AnchorType.DECISION, AnchorType.CORRECTION})
_MOST_SETTLING: Final = 16
"""Maximum number of notes that are kept in addition to the best ones because they settle something."""


def weighed_by_anchors(notes: Sequence[Note], drafts: Iterable[AnchorDraft]) -> list[Note]:
    """Return the notes of a segment, with more worth for those that state its decisions and corrections."""
    stems_by_turn = _settling(drafts)
    return [
        note._replace(worth=round(note.worth * _SETTLES))
        if says_one_of(note, stems_by_turn.get(note.seq, ()))
        else note
        for note in notes
    ]


def with_settling(best: Sequence[Note], notes: Sequence[Note], drafts: Iterable[AnchorDraft]) -> list[Note]:
    """Return the best notes of a segment, followed by those that settle something in words that are not new.

    'Decision: the red one' repeats what was discussed before; without it, it is unknown what was overtaken.
    """
    stems_by_turn = _settling(drafts)
    known = {(note.seq, note.place) for note in best}
    settling = [
        note
        for note in notes
        if note.worth > 0 and (note.seq, note.place) not in known and replaces(note, stems_by_turn)
    ]
    return [*best, *settling[-_MOST_SETTLING:]]


def without_pasted_changes(notes: Sequence[Note], readings: Iterable[Reading]) -> list[Note]:
    """Return the notes of a segment without those from pasted text that name a value which they replace.

    What ranks first in contexts must not overtake what was said; a query still finds such notes.
    """
    pasted = {reading.turn.seq: reading for reading in readings if reading.pasted}
    return [note for note in notes if not (_is_pasted(note, pasted) and value_taken_back(note.text))]


def words_of_their_own(noted: Iterable[tuple[Note, str]], readings: Iterable[Reading]) -> list[str]:
    """Return the words that each note was made from; none for pasted text, which is not an order of its poster."""
    pasted = {reading.turn.seq: reading for reading in readings if reading.pasted}
    return ["" if _is_pasted(note, pasted) else words for note, words in noted]


def _is_pasted(note: Note, pasted: Mapping[int, Reading]) -> bool:
    """Return whether a note is from text by others, if known; `pasted` are the turns that contain such text."""
    reading = pasted.get(note.seq)
    return reading is not None and (not note.end or reading.is_pasted(Span(note.start, note.end)))


def _settling(drafts: Iterable[AnchorDraft]) -> dict[int, list[frozenset[str]]]:
    """Return the stems of decisions and corrections by turn."""
    stems_by_turn: dict[int, list[frozenset[str]]] = {}
    for draft in drafts:
        if draft.type in _SETTLING and draft.state is AnchorState.ACTIVE:
            stems_by_turn.setdefault(draft.turn_seq, []).append(frozenset(note_stems(draft.text)))
    return stems_by_turn
