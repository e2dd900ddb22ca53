"""Notes as callers get them: with their source turns, origin, state and marker. Pure."""

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
"""States other than active, in the order in which one of several anchors determines a note's state."""


def note_records(
    segment: SegmentNotes,
    overtaken: OvertakenIndex,
    hides: Callable[[int], bool] | None = None,
    written_by: str | None = None,
) -> list[results.Note]:
    """Return the notes of a segment in order, without those of hidden turns.

    By default they are the notes that contexts show: the rules', or a model's plus the rules' notes on tool results.
    `written_by` returns all notes of the rules or of a model, also those that the other's replace.
    """
    read = _Segment(segment, overtaken)
    records = [] if written_by == "model" else [*read.of_rules(every=written_by == "rules")]
    records += [] if written_by == "rules" else map(read.of_model, segment.written)
    # The sort is stable, so the rules' notes of a turn come first.
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
        """Yield the rules' notes that no model's note replaces, or `every` one, with their turn numbers."""
        previous_seq, seq = 0, 0
        for note, stems in self._notes:
            if note.seq != seq:
                previous_seq, seq = seq, note.seq
            seqs = (previous_seq, seq) if previous_seq and _replies(note) else (seq,)
            if every or not self._segment.written or self._is_no_models(note):
                yield seqs, self._of_rules(note, stems, seqs)

    def _is_no_models(self, note: Note) -> bool:
        """Whether a rules' note stays beside a model's notes, which do not cover tool results and outside text."""
        return note.role == Role.TOOL or (note.role == OUTSIDE and note.seq not in self._by_model)

    def _of_rules(self, note: Note, stems: Sequence[str], seqs: Sequence[int]) -> results.Note:
        # An anchor without a score only answers a question: the question is over, not the answer.
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
        """Return a model's note, from its row, with the numbers of its turns."""
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
        """Return a record's fields about a note's source turns and time."""
        turns = self._segment.turns
        return {
            "turn_seq": seq, "turn_ids": tuple(turns[source].turn_id for source in seqs), "role": turns[seq].role,
            "marker": turns_marker(seqs[0], seqs[-1]), **time._asdict(),
        }  # fmt: skip

    def _origin(self, seq: int) -> Origin:
        """Return the least trusted origin among a turn's notes: a user's turn may contain a tool's result."""
        return least_trusted(map(origin_of, self._voices.get(seq) or [str(self._segment.turns[seq].role)]))


def _time_of(row: Any) -> NoteTime:
    """Return the time of a model's note, which names it in absolute words."""
    time = time_of(f"in {row.day_meant}", row.said_on) if row.day_meant else None
    time = time or UNKNOWN_TIME
    return time._replace(day_meant=row.day_meant, valid_from=row.valid_from, valid_to=row.valid_to)


def _replies(note: Note) -> bool:
    """Whether a note includes the question of the turn before: '(do you use Redis?) Yes'."""
    return not note.place and note.text.startswith("(") and "?) " in note.text


def _overlaps(note: Note, anchor: Anchor) -> bool:
    """Whether a note's clause and an anchor overlap by at least half of the shorter one."""
    shared = min(note.end, anchor.end) - max(note.start, anchor.start)
    return 2 * shared >= min(note.end - note.start, anchor.end - anchor.start) > 0


def says(stems: Sequence[str], anchor: Anchor) -> bool:
    """Whether a note, given by its stems, shares at least half of the shorter one's stems with an anchor."""
    anchor_stems = frozenset(note_stems(anchor.text))
    return 2 * len(anchor_stems.intersection(stems)) >= min(len(anchor_stems), len(stems)) > 0


def _held(time: NoteTime, anchors: Sequence[Anchor], state: AnchorState) -> NoteTime:
    """Return a note's time; if it is over, with the days on which it was valid, and if it is done, not as a plan."""
    if state not in (AnchorState.RESOLVED, AnchorState.SUPERSEDED):
        return time
    over = [anchor for anchor in anchors if anchor.state in _OVER]
    ends = max((anchor.valid_to for anchor in over if anchor.valid_to), default=None) or time.valid_to
    begins = time.valid_from or next((anchor.valid_from for anchor in over if anchor.valid_from), None)
    if begins and ends and begins > ends:
        # A plan that ended before it began.
        begins = None
    return time._replace(is_plan=time.is_plan and state is not AnchorState.RESOLVED, valid_from=begins, valid_to=ends)


def _state(anchors: Sequence[Anchor], *, is_told: bool) -> AnchorState:
    """Return a note's state by the anchors that cover it; `is_told`: contexts know its content to be superseded."""
    states = {anchor.state for anchor in anchors}
    over = next((state for state in _OVER if state in states), None)
    if is_told:
        return over or AnchorState.SUPERSEDED
    return AnchorState.ACTIVE if over is None or AnchorState.ACTIVE in states else over
