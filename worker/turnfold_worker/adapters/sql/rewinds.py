"""Rewind a conversation to a turn: delete everything after it, and restore the state of that time.

A segment stays if its end was decided by then; later ones are reopened, and folding goes on from there. So the rows end
as those of a conversation that never had the deleted turns.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, and_, delete, func, literal, select, true, update

from turnfold.contract.passages import LAST_TURN, bundle_of, number_of
from turnfold.contract.records import FAN_OUT, MAX_HEIGHT, ConversationId
from turnfold.contract.tables import (
    AccessRow,
    AnchorRow,
    BlockListRow,
    ConversationRow,
    LevelRow,
    ModelNoteRow,
    NodeRow,
    NoteListRow,
    OperationRow,
    ParkedEntryRow,
    PartListRow,
    PassageRow,
    PassageSignsRow,
    RepeatMarkRow,
    RewoundTurnRow,
    SubjectTurnRow,
    TurnRow,
    TurnVectorRow,
    table,
)
from turnfold.contract.tasks import JobKind
from turnfold_worker.adapters.sql import model_search as sql_model_search
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql import refined_turns as sql_refined_turns
from turnfold_worker.adapters.sql import removals as sql_removals
from turnfold_worker.adapters.sql import turn_memos as sql_turn_memos
from turnfold_worker.adapters.sql.anchors import RULES
from turnfold_worker.adapters.sql.postings import POSTINGS
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.ports.models import subject_of_chapter

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_vector = table(TurnVectorRow)
_operation = table(OperationRow)
_entry = table(ParkedEntryRow)
_node = table(NodeRow)
_notes = table(NoteListRow)
_anchor = table(AnchorRow)
_rewound = table(RewoundTurnRow)
_subject = table(SubjectTurnRow)

_BY_HEIGHT: Final = (_node, table(LevelRow), _notes, table(ModelNoteRow))
_BY_SEGMENT: Final = (
    table(BlockListRow), table(PartListRow), table(RepeatMarkRow), table(PassageSignsRow), table(AccessRow)
)  # fmt: skip
_passage = table(PassageRow)


def rewind(
    connection: Connection, conversation: ConversationId, seq: int, *, stream_id: str, group: int
) -> frozenset[str]:
    """Delete all turns after `seq`, which retention has not reached; return their ids.

    `stream_id` is the rewind's position in the inbox; a model refines `group` segments together.
    """
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).one()
    kept = _segments_kept(connection, conversation, seq, row)
    closed_seq, remembered = 0, {"segmenter": None, "said": None}
    if kept == row.node_count:
        closed_seq, remembered = row.closed_seq, {"segmenter": row.segmenter, "said": row.said}
    elif kept:
        closed_seq, remembered = _end_of(connection, conversation, kept - 1)
    removed = _cut_turns(connection, conversation, seq, stream_id)
    if kept < row.node_count:
        _open_segments(connection, conversation, kept, closed_seq, group=group)
    sql_removals.drop_replies(connection, conversation)
    sql_turn_memos.drop(connection, conversation)
    newest = select(func.coalesce(func.max(_anchor.c.id), 0) + 1).where(_anchor.c.conversation == conversation, RULES)
    connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation)
        .values(
            closed_seq=closed_seq, node_count=kept, fold_seq=min(row.fold_seq, closed_seq), **remembered,
            next_anchor=newest.scalar_subquery(), edit_revision=row.edit_revision + 1,
        )
    )  # fmt: skip
    sql_outlines.cut_back(connection, conversation, node_count=kept, last_seq=closed_seq)
    return removed


def _segments_kept(connection: Connection, conversation: ConversationId, seq: int, row: Any) -> int:
    """Return how many segments had ended by turn `seq`. Expired ones cannot be folded again, so they stay."""
    first = connection.scalar(
        select(func.min(_node.c.idx)).where(
            _node.c.conversation == conversation, _node.c.height == 0, _node.c.decided_seq > seq,
            _node.c.first_seq > row.expired_seq,
        )
    )  # fmt: skip
    return int(row.node_count if first is None else first)


def _end_of(connection: Connection, conversation: ConversationId, idx: int) -> tuple[int, dict[str, Any]]:
    """Read where a segment ends, and the fold's state there."""
    node = connection.execute(
        select(_node.c.last_seq, _node.c.segmenter, _notes.c.said)
        .join(
            _notes,
            and_(
                _notes.c.conversation == _node.c.conversation, _notes.c.height == _node.c.height,
                _notes.c.idx == _node.c.idx,
            ),
        )
        .where(_node.c.conversation == conversation, _node.c.height == 0, _node.c.idx == idx)
    ).one()  # fmt: skip
    return node.last_seq, {"segmenter": node.segmenter, "said": node.said}


def _cut_turns(connection: Connection, conversation: ConversationId, seq: int, stream_id: str) -> frozenset[str]:
    """Delete the turns after `seq` and rows about single ones of them; return their ids."""
    after = and_(_turn.c.conversation == conversation, _turn.c.seq > seq)
    if stream_id:
        remembered = insert_new(connection, _rewound).from_select(
            ["conversation", "turn_id", "stream_id"],
            # SQLite accepts ON CONFLICT after a SELECT only with a WHERE.
            select(_turn.c.conversation, _turn.c.turn_id, literal(stream_id)).where(after, true()),
        )
        connection.execute(
            remembered.on_conflict_do_update(
                index_elements=["conversation", "turn_id"], set_={"stream_id": remembered.excluded.stream_id}
            )
        )
    removed = frozenset(connection.scalars(delete(_turn).where(after).returning(_turn.c.turn_id)))
    for rows in (_vector, _subject):
        connection.execute(delete(rows).where(rows.c.conversation == conversation, rows.c.seq > seq))
    connection.execute(delete(_entry).where(_entry.c.conversation == conversation, _entry.c.seq > seq))
    # Settlements and configurations are not turns: they apply from the last remaining turn on.
    connection.execute(
        update(_operation)
        .where(_operation.c.conversation == conversation, _operation.c.after_seq > seq)
        .values(after_seq=seq)
    )
    connection.execute(
        update(_anchor)
        .where(_anchor.c.conversation == conversation, _anchor.c.settled_after > seq)
        .values(settled_after=seq)
    )
    return removed


def _open_segments(
    connection: Connection, conversation: ConversationId, kept: int, closed_seq: int, *, group: int
) -> None:
    """Delete the segments from `kept` on, every chapter that contains one, and rows derived from them."""
    with sql_refined_turns.recounted(connection, conversation, kept):
        for rows in _BY_HEIGHT:
            for height in range(MAX_HEIGHT + 1):
                beyond = (rows.c.height == height, rows.c.idx >= kept // FAN_OUT**height)
                connection.execute(delete(rows).where(rows.c.conversation == conversation, *beyond))
    for rows in _BY_SEGMENT:
        connection.execute(delete(rows).where(rows.c.conversation == conversation, rows.c.idx >= kept))
    POSTINGS.cut(connection, conversation, kept)
    sql_model_search.cut(connection, conversation, kept)
    if closed_seq < LAST_TURN:
        first = bundle_of(number_of(closed_seq + 1, 0))
        connection.execute(delete(_passage).where(_passage.c.conversation == conversation, _passage.c.bundle >= first))
    sql_removals.drop_anchors(connection, conversation, _anchor.c.node_idx >= kept, relink=False)
    sql_removals.drop_jobs(connection, conversation, JobKind.REFOLD, kept)
    together = kept // group * group
    sql_removals.drop_jobs(connection, conversation, JobKind.REFINE, together)
    sql_removals.drop_jobs(connection, conversation, JobKind.REFINE, None, subject_of_chapter(kept // FAN_OUT))
    if together < kept:
        sql_removals.drop_models_words(connection, conversation, together, kept - 1)
    sql_removals.tell_sizes(connection, conversation)
