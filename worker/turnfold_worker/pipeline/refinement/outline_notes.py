"""Convert a model's notes to the notes that contexts are built from, in place of the rules' notes on the same node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.notes import FIRST_OF_CHAPTER, FIRST_WRITTEN, Covered, Note, in_order
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.passages import LAST_TURN, PLACES, number_of
from turnfold.contract.periods import day_label
from turnfold.contract.records import FAN_OUT, Origin, Role
from turnfold.contract.words import digit_of, note_stems, note_words
from turnfold.dates.note_time import time_of
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.rarity import rarity_of
from turnfold_worker.pipeline.notes.passages import Passage
from turnfold_worker.pipeline.refinement.claims import words_of
from turnfold_worker.pipeline.refinement.ends import OverStatement
from turnfold_worker.pipeline.refinement.notes import ModelNote
from turnfold_worker.pipeline.refinement.untold import untold

_WORTH: Final = {1: 60, 2: 90, 3: 120, 4: 150, 5: 180}
"""Worth by importance, in hundredths; a plain clause of the rules has 100."""
BEFORE_SEGMENTS: Final = 8
"""Factor on the worth of notes on a chapter: notes on its segments only fill the remaining room."""
_NAMED: Final = 3.0
"""Weight of a name relative to another word."""


def in_place_of(rules: Sequence[Note], written: Sequence[ModelNote]) -> tuple[Note, ...]:
    """Replace the rules' notes on a node by a model's notes, if there are any.

    The rules' notes on tool output stay, as do those on outside text in turns that the model does not cite.
    """
    if not written:
        return tuple(rules)
    by_model = {seq for note in written for seq in note.turns}
    kept = [note for note in rules if note.role == Role.TOOL or (note.role == OUTSIDE and note.seq not in by_model)]
    return tuple(in_order([*kept, *_notes(written, FIRST_WRITTEN)]))


def still_so(notes: Sequence[Note], over: Iterable[OverStatement]) -> tuple[Note, ...]:
    """Drop the notes whose brief says little besides what a model found to be overtaken."""
    by_seq: dict[int, list[OverStatement]] = {}
    for statement in over:
        by_seq.setdefault(statement.seq, []).append(statement)
    return tuple(note for note in notes if not _is_over(note, by_seq.get(note.seq, ())))


def _is_over(note: Note, statements: Sequence[OverStatement]) -> bool:
    stems = frozenset(note_stems(note.in_brief().text)) if statements else frozenset()
    return any(statement.is_all_of(stems) for statement in statements)


def on_chapters(
    cover: Sequence[Covered], noted: Sequence[tuple[Note, ...]], written: Mapping[tuple[int, int], Sequence[ModelNote]]
) -> list[tuple[Note, ...]]:
    """Return the notes on each node of a cover, with a model's notes on chapters first and those below in brief.

    `written` are a model's notes by (height, index). Returns an empty list if there are none on a chapter in the cover
    or right above it.
    """
    parents = [(node.height + 1, node.idx // FAN_OUT) for node in cover]
    above = [written.get(parent, ()) for parent in parents]
    if not any(above) and not any(node.height and written.get((node.height, node.idx)) for node in cover):
        return []
    told: set[tuple[int, int]] = set()
    shown: list[tuple[Note, ...]] = []
    for node, notes, parent, of_chapter in zip(cover, noted, parents, above, strict=True):
        if of_chapter:
            shown.append(_with_chapter(notes, of_chapter, is_first=parent not in told))
            told.add(parent)
        else:
            shown.append(_as_of_chapter(notes) if node.height else notes)
    return shown


def _with_chapter(notes: Sequence[Note], of_chapter: Sequence[ModelNote], *, is_first: bool) -> tuple[Note, ...]:
    """Return what the notes below a chapter add to its own, in brief; its first node gets its own notes, too."""
    on_chapter = _notes(of_chapter, FIRST_OF_CHAPTER)
    told: dict[tuple[int, str], list[str]] = {}
    for source, note in zip(of_chapter, on_chapter, strict=True):
        for seq in source.turns:
            told.setdefault((seq, note.speaker), []).append(note.in_brief().text)
    below = [_untold(note.in_brief(), told.get((note.seq, note.speaker), ())) for note in notes]
    before = [_before_segments(note) for note in on_chapter] if is_first else []
    return tuple(in_order([*filter(None, below), *before]))


def _as_of_chapter(notes: Sequence[Note]) -> tuple[Note, ...]:
    """Return the notes on a chapter of the cover, with the model's notes placed before those on segments."""
    moved = FIRST_OF_CHAPTER - FIRST_WRITTEN
    return tuple(
        _before_segments(note._replace(place=note.place + moved)) if note.place >= FIRST_WRITTEN else note
        for note in notes
    )


def _before_segments(note: Note) -> Note:
    return note._replace(worth=BEFORE_SEGMENTS * note.worth)


def _untold(note: Note, told: Sequence[str]) -> Note | None:
    text = untold(note.text, told)
    if not text or text == note.text:
        return note if text else None
    tokens = estimate_tokens(text) + 1
    return note._replace(text=text, brief=text, tokens=tokens, brief_tokens=tokens, weights=_weights(text))


def passages_of_notes(written: Sequence[ModelNote]) -> list[Passage]:
    """Return a model's notes on a segment as passages of their first turns, numbered down from the last place."""
    passages: list[Passage] = []
    of_turn: Counter[int] = Counter()
    for source, note in zip(written, _notes(written, FIRST_WRITTEN), strict=True):
        place = PLACES - 1 - of_turn[note.seq]
        of_turn[note.seq] += 1
        time = time_of(f"in {source.day_meant}", source.said_on) if source.day_meant else None
        times = {} if time is None else {note.place: time}
        if place >= 0 and note.seq <= LAST_TURN:
            passages.append(Passage(number_of(note.seq, place), (note,), ends=True, times=times))
    return passages


def _notes(written: Sequence[ModelNote], first_place: int) -> list[Note]:
    return [_note(note, place) for place, note in enumerate(written, first_place)]


def _note(written: ModelNote, place: int) -> Note:
    text, brief = written.shown, written.shown_in_brief
    brief = brief if brief != text else ""
    day = day_label(written.said_on) if written.said_on else ""
    return Note(
        written.turns[0], place, written.speaker, _voice(written), day, text, estimate_tokens(text) + 1,
        _WORTH[written.importance], _weights(brief or text), brief=brief,
        brief_tokens=estimate_tokens(brief) + 1 if brief else 0,
    )  # fmt: skip


def _voice(written: ModelNote) -> str:
    """Return the voice of a note: a model's words are trusted no more than the turns that they rest on."""
    return written.role if written.origin is Origin.USER else str(written.origin)


def _weights(text: str) -> str:
    """Return the weight digit of each distinct word of a note."""
    named = {word.text for word in words_of(text)[1:] if word.capital}
    return "".join(digit_of(rarity_of(word) * (_NAMED if word in named else 1.0)) for word in note_words(text))
