"""Find which notes still hold: overtaken notes are dropped, and those that replace them rank first. Pure.

A note shares the state of the anchors over the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from turnfold.contract.notes import Note, in_order
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor, replaces, stated_before
from turnfold_worker.pipeline.notes.told_beside import told_with_more

_IN_FORCE: Final = 3.0
"""Factor on the worth of a note that replaces another."""
_BESIDE_IT: Final = 2.0
"""Factor on the worth of the notes right before and after: 'Refunds until 24 hours. So forget the old rule.'"""


def still_held(notes: Iterable[Note], overtaken: OvertakenIndex) -> list[Note]:
    """Return the notes without those that no longer hold."""
    held = (overtaken.mended(note) if overtaken.tells(note.seq, note_stems(note.text)) else note for note in notes)
    return [note for note in held if note is not None]


def weighed_by_force(notes: Sequence[Note], settled: Sequence[SettledAnchor], overtaken: OvertakenIndex) -> list[Note]:
    """Return the notes in turn order, with no worth if they no longer hold, and with more if they replace another."""
    ordered = told_with_more(in_order(notes), settled)
    replacing: dict[int, list[frozenset[str]]] = {}
    for anchor in settled:
        if anchor.is_overtaken and anchor.by_text:
            replacing.setdefault(anchor.by_seq, []).append(frozenset(note_stems(anchor.by_text)))
    are_told = [bool(overtaken) and overtaken.tells(note.seq, note_stems(note.text)) for note in ordered]
    mended = [overtaken.mended(note) if is_told else note for note, is_told in zip(ordered, are_told, strict=True)]
    held = [note is not None for note in mended]
    ordered = [note or gone for note, gone in zip(mended, ordered, strict=True)]
    share = [1.0] * len(ordered)
    for at, note in enumerate(ordered):
        if held[at] and replaces(note, replacing):
            share[at] = _IN_FORCE
            for stated in stated_before(ordered, at):
                share[stated] = _IN_FORCE
            for beside in (at - 1, at + 1):
                if 0 <= beside < len(ordered) and ordered[beside].seq == note.seq:
                    share[beside] = max(share[beside], _BESIDE_IT)
    worths = [round(note.worth * share[at]) if held[at] else 0 for at, note in enumerate(ordered)]
    return [
        note if note.worth == worth else note._replace(worth=worth) for note, worth in zip(ordered, worths, strict=True)
    ]
