"""Notes as callers get them: with the turns that they rest on, their origin, their state and a marker. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from turnfold.assemble.forms.markers import turns_marker
from turnfold.contract import results
from turnfold.contract.note_times import UNKNOWN_TIME, NoteTime
from turnfold.contract.notes import Note
from turnfold.contract.origins import OUTSIDE, least_trusted, origin_of
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.periods import day_label
from turnfold.contract.records import Anchor, AnchorState, Origin, Role
from turnfold.contract.words import note_stems
from turnfold.dates.note_time import time_of
from turnfold.read.notes.importance import clause_factors, importance_of, with_anchors, written_factors

if TYPE_CHECKING:
    from turnfold.database.note_read import SegmentNotes

_OVER: Final = (AnchorState.DUPLICATE, AnchorState.RESOLVED, AnchorState.SUPERSEDED, AnchorState.DISMISSED)
"""States of what is not in force, in the order in which one of several anchors gives its own to a note."""


def note_records(
    segment: SegmentNotes,
    overtaken: OvertakenIndex,
    hides: Callable[[int], bool] | None = None,
    written_by: str | None = None,
) -> list[results.Note]:
    """The notes of a segment in order, without those of turns that are hidden.

    They are those that contexts are made of: the rules', or a model's with the rules' notes on what tools said. With
    `written_by` all that the rules, or a model, wrote, whatever stands in its place.
    """
    read = _Segment(segment, overtaken)
    records = [] if written_by == "model" else [*read.of_rules(every=written_by == "rules")]
    records += [] if written_by == "rules" else map(read.of_model, segment.written)
    # The sort is stable: of a turn the rules' notes stand first.
    records.sort(key=lambda record: record[1].turn_seq)
    return [note for seqs, note in records if hides is None or not any(map(hides, seqs))]


class _Segment:
    """Makes the records of one segment."""

    def __init__(self, segment: SegmentNotes, overtaken: OvertakenIndex) -> None:
        self._segment = segment
        self._overtaken = overtaken
        self._notes = [
            (note, stems.split())
            for passage in segment.passages
            for note, stems in zip(passage.notes, passage.words, strict=True)
        ]
        self._by_model = {seq for row in segment.written for seq in row.turns}
        self._voices: dict[int, set[str]] = {}
        for note, _ in self._notes:
            self._voices.setdefault(note.seq, set()).add(note.role)

    def of_rules(self, *, every: bool = False) -> Iterator[tuple[Sequence[int], results.Note]]:
        """The rules' notes that stand, or every one, each with the numbers of its turns."""
        previous_seq, seq = 0, 0
        for note, stems in self._notes:
            if note.seq != seq:
                previous_seq, seq = seq, note.seq
            seqs = (previous_seq, seq) if previous_seq and _replies(note) else (seq,)
            if every or not self._segment.written or self._is_no_models(note):
                yield seqs, self._of_rules(note, stems, seqs)

    def _is_no_models(self, note: Note) -> bool:
        """Whether a note stays where a model wrote some: on what tools and others said it writes none."""
        return note.role == Role.TOOL or (note.role == OUTSIDE and note.seq not in self._by_model)

    def _of_rules(self, note: Note, stems: Sequence[str], seqs: Sequence[int]) -> results.Note:
        # What only answers a question says that it is over, not that the answer is.
        of_turn = [anchor for anchor in self._segment.anchors.get(note.seq, ()) if anchor.score]
        anchors = [anchor for anchor in of_turn if (_overlaps(note, anchor) if note.end else says(stems, anchor))]
        factors = with_anchors(clause_factors(note, self._segment.turns[note.seq].importance), anchors)
        is_told = self._overtaken.tells(note.seq, stems)
        mended = self._overtaken.mended(note) if is_told else None
        state = _state(anchors, is_told=is_told and mended is None)
        time = _held(self._segment.times.get((note.seq, note.place), UNKNOWN_TIME), anchors, state)
        return results.Note(
            text=(mended or note).text, speaker=note.speaker, day=note.day, written_by="rules",
            importance=importance_of(factors, says_nothing=not note.worth), factors=factors,
            state=state,
            origin=least_trusted([origin_of(note.role), *map(self._origin, seqs[:-1])]),
            **self._sources(note.seq, seqs, time),
        )  # fmt: skip

    def of_model(self, row: Any) -> tuple[Sequence[int], results.Note]:
        """A note that a model wrote, from its row, with the numbers of its turns."""
        stems = note_stems(row.body)
        anchors = [anchor for seq in row.turns for anchor in self._segment.anchors.get(seq, ()) if says(stems, anchor)]
        marks = [self._segment.turns[seq].importance for seq in row.turns]
        factors = with_anchors(written_factors(row.importance, marks), anchors)
        state = _state(anchors, is_told=self._overtaken.tells(row.turns[0], stems))
        return row.turns, results.Note(
            text=row.body, speaker=row.speaker, day=day_label(row.said_on) if row.said_on else "", written_by="model",
            importance=importance_of(factors), factors=factors, state=state, origin=Origin(row.origin),
            **self._sources(row.turns[0], row.turns, _held(_time_of(row), anchors, state)),
        )  # fmt: skip

    def _sources(self, seq: int, seqs: Sequence[int], time: NoteTime) -> dict[str, Any]:
        """What a record says of the turns that a note rests on, and of its time."""
        turns = self._segment.turns
        return {
            "turn_seq": seq, "turn_ids": tuple(turns[source].turn_id for source in seqs), "role": turns[seq].role,
            "marker": turns_marker(seqs[0], seqs[-1]), **time._asdict(),
        }  # fmt: skip

    def _origin(self, seq: int) -> Origin:
        """The origin of a turn's words as its notes know it: a tool's result may stand in a user's turn."""
        return least_trusted(map(origin_of, self._voices.get(seq) or [str(self._segment.turns[seq].role)]))


def _time_of(row: Any) -> NoteTime:
    """The time of a model's note, which names it in words that mean the same on any day."""
    time = time_of(f"in {row.day_meant}", row.said_on) if row.day_meant else None
    time = time or UNKNOWN_TIME
    return time._replace(day_meant=row.day_meant, valid_from=row.valid_from, valid_to=row.valid_to)


def _replies(note: Note) -> bool:
    """Whether a note has the question of the turn before in it: '(do you use Redis?) Yes'."""
    return not note.place and note.text.startswith("(") and "?) " in note.text


def _overlaps(note: Note, anchor: Anchor) -> bool:
    """Whether an anchor stands over half of a clause, or a clause over half of an anchor."""
    shared = min(note.end, anchor.end) - max(note.start, anchor.start)
    return 2 * shared >= min(note.end - note.start, anchor.end - anchor.start) > 0


def says(stems: Sequence[str], anchor: Anchor) -> bool:
    """Whether a note, given by its stems, says an anchor of its turn."""
    anchor_stems = frozenset(note_stems(anchor.text))
    return 2 * len(anchor_stems.intersection(stems)) >= min(len(anchor_stems), len(stems)) > 0


def _held(time: NoteTime, anchors: Sequence[Anchor], state: AnchorState) -> NoteTime:
    """The time of a note; of one that is over with the days on which it held, and what is done is no plan any more."""
    if state not in (AnchorState.RESOLVED, AnchorState.SUPERSEDED):
        return time
    over = [anchor for anchor in anchors if anchor.state in _OVER]
    ends = max((anchor.valid_to for anchor in over if anchor.valid_to), default=None) or time.valid_to
    begins = time.valid_from or next((anchor.valid_from for anchor in over if anchor.valid_from), None)
    if begins and ends and begins > ends:
        # What was to be is over before it began.
        begins = None
    return time._replace(is_plan=time.is_plan and state is not AnchorState.RESOLVED, valid_from=begins, valid_to=ends)


def _state(anchors: Sequence[Anchor], *, is_told: bool) -> AnchorState:
    """The state of a note by the anchors over it; `is_told`: it says what contexts know to hold no more."""
    states = {anchor.state for anchor in anchors}
    over = next((state for state in _OVER if state in states), None)
    if is_told:
        return over or AnchorState.SUPERSEDED
    return AnchorState.ACTIVE if over is None or AnchorState.ACTIVE in states else over
