"""Find which notes still hold: overtaken notes are dropped, and those that replace them rank first. Pure.

A note shares the state of the anchors over the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note, in_order
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.words import note_stems
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor, replaces, stated_before
from turnfold_worker.pipeline.notes.told_beside import told_with_more

_IN_FORCE: Final = 3.0
"""Factor on the worth of a note that replaces another."""
_BESIDE_IT: Final = 2.0
"""Factor on the worth of the notes right before and after: 'Refunds until 24 hours. So forget the old rule.'"""
_ITEM_ENDS: Final = lazy_pattern(r"[,;] (?:and |or )?")


def still_held(notes: Iterable[Note], overtaken: OvertakenIndex) -> list[Note]:
    """Return the notes without those that no longer hold."""
    shorter = [without_overtaken_item(note, overtaken) for note in notes]
    are_told = [overtaken.tells(note.seq, note_stems(note.text)) for note in shorter]
    held = [overtaken.mended(note) if is_told else note for note, is_told in zip(shorter, are_told, strict=True)]
    return [note for note in held if note is not None]


def without_overtaken_item(note: Note, overtaken: OvertakenIndex) -> Note:
    """Return a note that lists items after a colon without the one whose value was overtaken, any other as it is."""
    lead, colon, listed = note.text.partition(": ")
    if not colon or not overtaken:
        return note
    stems = note_stems(note.text)
    if not overtaken.tells_value(note.seq, stems) or overtaken.tells_statement(note.seq, stems):
        return note
    items = _ITEM_ENDS.split(listed)
    held = [part for part in items if not overtaken.tells_value(note.seq, note_stems(part))]
    if len(held) + 1 != len(items) or not held:
        return note
    text = f"{lead}: {', '.join(held)}"
    weight_of = dict(zip(stems, note.weights, strict=False))
    weights = "".join([weight_of.get(stem, "") for stem in note_stems(text)])
    return note._replace(text=text, tokens=estimate_tokens(text) + 1, weights=weights, brief="", brief_tokens=0)


def weighed_by_force(notes: Sequence[Note], settled: Sequence[SettledAnchor], overtaken: OvertakenIndex) -> list[Note]:
    """Return the notes in turn order, with no worth if they no longer hold, and with more if they replace another."""
    ordered = told_with_more([without_overtaken_item(note, overtaken) for note in in_order(notes)], settled)
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
