"""Notes of segments, with their turns and anchors, read a few segments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import BindParameter, Connection, and_, bindparam, literal_column, select

from turnfold.contract.model_anchors import as_models_leave_it
from turnfold.contract.note_times import NoteTime, unpack_times
from turnfold.contract.outlines import overtaken_by, tail_anchors_of, unpack_outline
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, OvertakenIndex
from turnfold.contract.passages import (
    LAST_TURN,
    PASSAGES_A_BUNDLE,
    PLACES,
    Passage,
    bundle_of,
    number_of,
    passages_among,
    unpack_passages,
)
from turnfold.contract.records import Anchor, Importance, Role
from turnfold.contract.results import Head
from turnfold.contract.tables import ModelNoteRow, PassageRow, table
from turnfold.database.rows import anchor_record
from turnfold.database.statements import ANCHOR_COLUMNS, CLOSED_IN, FRAME, OF_CONVERSATION, anchor, node, turn
from turnfold.dates.passed import day_of
from turnfold.dates.validity import closed_on, with_last_days

SEGMENTS_AT_ONCE: Final = 16

_passage = table(PassageRow)
_written = table(ModelNoteRow)
_conversation: Final[BindParameter[int]] = bindparam("conversation")
_SEGMENTS: Final = (node.c.conversation == _conversation, node.c.height == literal_column("0"))

SEGMENT_OF: Final = (
    select(node.c.idx)
    .where(*_SEGMENTS, node.c.first_seq <= bindparam("seq"))
    .order_by(node.c.first_seq.desc())
    .limit(literal_column("1"))
)
NEXT_SEGMENTS: Final = (
    select(node.c.idx, node.c.first_seq, node.c.last_seq)
    .where(*_SEGMENTS, node.c.idx >= bindparam("idx"))
    .order_by(node.c.idx)
    .limit(literal_column(str(SEGMENTS_AT_ONCE)))
)
PASSAGES_BETWEEN: Final = (
    select(_passage.c.bundle, _passage.c.body, _passage.c.times)
    .where(_passage.c.conversation == _conversation, _passage.c.bundle.between(bindparam("first"), bindparam("last")))
    .order_by(_passage.c.bundle)
)
WRITTEN_BETWEEN: Final = (
    select(_written)
    .where(
        _written.c.conversation == _conversation, _written.c.height == literal_column("0"),
        _written.c.idx.between(bindparam("first"), bindparam("last")),
    )
    .order_by(_written.c.idx, _written.c.place)
)  # fmt: skip
_closing = anchor.alias("closing")
_closing_turn = turn.alias("closing_turn")
ANCHORS_BETWEEN: Final = (
    select(*ANCHOR_COLUMNS, CLOSED_IN.label("closed_by"), _closing_turn.c.created_at.label("closed_at"))
    .outerjoin_from(
        anchor, _closing, and_(_closing.c.conversation == anchor.c.conversation, _closing.c.id == CLOSED_IN)
    )
    .outerjoin(
        _closing_turn,
        and_(_closing_turn.c.conversation == anchor.c.conversation, _closing_turn.c.seq == _closing.c.seq),
    )
    .where(anchor.c.conversation == _conversation, anchor.c.seq.between(bindparam("first"), bindparam("last")))
    .order_by(anchor.c.seq, anchor.c.start_offset)
)
SOURCES_BETWEEN: Final = (
    select(turn.c.seq, turn.c.turn_id, turn.c.role, turn.c.importance)
    .where(OF_CONVERSATION, turn.c.seq.between(bindparam("first"), bindparam("last")))
    .order_by(turn.c.seq)
)


class SourceTurn(NamedTuple):
    """The data of a turn that its notes refer to."""

    turn_id: str
    role: Role
    importance: Importance


@dataclass(frozen=True, slots=True)
class SegmentNotes:
    """All stored notes of a segment."""

    idx: int
    passages: Sequence[Passage]
    """Notes of the rules, in the order of the turns."""
    times: Mapping[tuple[int, int], NoteTime]
    """Times by (turn, place), for the rules' notes that refer to one."""
    written: Sequence[Any]
    """Rows of a model's notes."""
    anchors: Mapping[int, Sequence[Anchor]]
    """Anchors by turn; closed ones have the day of the closing turn."""
    turns: Mapping[int, SourceTurn]


class NoteRead:
    """Reads the notes of one conversation, in one transaction."""

    def __init__(self, connection: Connection, head: Head) -> None:
        """Read the outline's frame."""
        self._connection = connection
        self._of_conversation: Mapping[str, int] = {"conversation": head.id}
        frame = connection.execute(FRAME, self._of_conversation)
        self._outline = unpack_outline((row.part, row.body) for row in frame)
        self._tail = tail_anchors_of(self._outline, head.closed_seq)
        """Changes of the open tail to anchors of segments."""

    def overtaken(self) -> OvertakenIndex:
        """Return the statements that are no longer valid, as contexts know them."""
        return NOTHING_OVERTAKEN if self._outline is None else overtaken_by(self._outline)

    def segments(self, first_seq: int, last_seq: int) -> Iterator[SegmentNotes]:
        """Yield the segments that overlap a range of turns, in order."""
        idx = self._connection.scalar(SEGMENT_OF, {**self._of_conversation, "seq": first_seq})
        while idx is not None:
            nodes = self._connection.execute(NEXT_SEGMENTS, {**self._of_conversation, "idx": idx}).all()
            wanted = [row for row in nodes if row.first_seq <= last_seq]
            if wanted:
                yield from self._block(wanted)
            idx = nodes[-1].idx + 1 if len(wanted) == SEGMENTS_AT_ONCE else None

    def _block(self, nodes: Sequence[Any]) -> Iterator[SegmentNotes]:
        first_seq, last_seq = nodes[0].first_seq, nodes[-1].last_seq
        numbers = (number_of(first_seq, 0), number_of(min(last_seq, LAST_TURN), PLACES - 1))
        rows = self._between(PASSAGES_BETWEEN, *map(bundle_of, numbers))
        held = passages_among([(row.bundle, bytes(row.body)) for row in rows], range(numbers[0], numbers[1] + 1))
        passages = unpack_passages(held)
        times = {
            (row.bundle * PASSAGES_A_BUNDLE // PLACES, place): time
            for row in rows
            if row.times is not None
            for place, time in unpack_times(row.times).items()
        }
        written = self._between(WRITTEN_BETWEEN, nodes[0].idx, nodes[-1].idx)
        turns = {
            row.seq: SourceTurn(row.turn_id, Role(row.role), Importance(row.importance))
            for row in self._between(SOURCES_BETWEEN, first_seq, last_seq)
        }
        anchors: dict[int, list[Anchor]] = {}
        stored = [
            closed_on(as_models_leave_it(anchor_record(row), row.filler, row.closed_by), row.closed_at)
            for row in self._between(ANCHORS_BETWEEN, first_seq, last_seq)
        ]
        days = {tail_anchor.id: day_of(tail_anchor.day) for tail_anchor in self._tail.anchors if tail_anchor.day}
        for closed_anchor in with_last_days(self._tail.changed(stored), days):
            anchors.setdefault(closed_anchor.turn_seq, []).append(closed_anchor)
        for segment in nodes:
            edges = range(number_of(segment.first_seq, 0), number_of(segment.last_seq + 1, 0))
            yield SegmentNotes(
                segment.idx, [passage for passage in passages if passage.number in edges], times,
                [row for row in written if row.idx == segment.idx], anchors, turns,
            )  # fmt: skip

    def _between(self, statement: Any, first: int, last: int) -> Sequence[Any]:
        return self._connection.execute(statement, {**self._of_conversation, "first": first, "last": last}).all()
