"""Folding a closed segment again: read its input, and replace its rows."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, select, update

from turnfold.contract.passages import LAST_TURN, PLACES, bundle_of, number_of
from turnfold.contract.records import Anchor, ConversationId, Method
from turnfold.contract.tables import (
    BlockListRow,
    ConversationRow,
    JobRow,
    LevelRow,
    ModelNoteRow,
    NodeRow,
    NoteListRow,
    PartListRow,
    PassageRow,
    RepeatMarkRow,
    standing,
    table,
)
from turnfold.contract.tasks import JobState
from turnfold.database.rows import anchor_record, turn_record
from turnfold.database.statements import ACTIVE, ANCHOR_COLUMNS, turn_columns
from turnfold.database.statements import anchor as _anchor
from turnfold.database.statements import turn as _turn
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql import refined_turns as sql_refined_turns
from turnfold_worker.adapters.sql import removals as sql_removals
from turnfold_worker.adapters.sql import vectors as sql_vectors
from turnfold_worker.adapters.sql.anchors import RULES, insert_anchors
from turnfold_worker.adapters.sql.folds import (
    ANCHORS_ADDED,
    NO_END,
    SegmentEnd,
    anchors_added,
    configurations,
    insert_node,
    posted,
)
from turnfold_worker.adapters.sql.postings import POSTINGS
from turnfold_worker.adapters.sql.refine_jobs import add_for_segment
from turnfold_worker.adapters.sql.rules_guard import FOLDED_BY_US, MAY_FOLD
from turnfold_worker.adapters.sql.turns import fold_due
from turnfold_worker.errors import Refused
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.turns.repeats import NEIGHBOURS
from turnfold_worker.ports.messages import ClosedSegment, Refold
from turnfold_worker.ports.models import RefineTarget

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_model_notes = table(ModelNoteRow)
_notes = table(NoteListRow)
_passage = table(PassageRow)
_BY_SEGMENT: Final = (table(BlockListRow), table(PartListRow), table(RepeatMarkRow))
_job = table(JobRow)


def closed_segment(connection: Connection, conversation: ConversationId, idx: int) -> ClosedSegment | None:
    """Read a segment with its turns and anchors, and the state of its conversation."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation, standing())).first()
    node = connection.execute(
        select(_node.c.first_seq, _node.c.last_seq).where(
            _node.c.conversation == conversation, _node.c.height == 0, _node.c.idx == idx
        )
    ).first()
    if row is None or node is None:
        return None
    if node.first_seq <= row.expired_seq:
        raise Refused("retention removed the text of this segment: it can no longer be refolded")
    turns = connection.execute(
        select(*turn_columns(capped=False))
        .where(_turn.c.conversation == conversation, _turn.c.seq.between(node.first_seq - NEIGHBOURS, node.last_seq))
        .order_by(_turn.c.seq)
    )
    anchors = connection.execute(
        select(*ANCHOR_COLUMNS, _anchor.c.settled_after)
        .where(_anchor.c.conversation == conversation, RULES, _anchor.c.seq.between(node.first_seq, node.last_seq))
        .order_by(_anchor.c.id)
    ).all()
    said_before = connection.scalar(
        select(_notes.c.said).where(
            _notes.c.conversation == conversation, _notes.c.height == 0, _notes.c.idx == idx - 1
        )
    )
    records = [turn_record(turn) for turn in turns]
    return ClosedSegment(
        conversation=conversation, idx=idx, closed_seq=row.closed_seq, next_anchor=row.next_anchor,
        edit_revision=row.edit_revision, configurations=configurations(connection, conversation, node.first_seq - 1),
        said_before=said_before or {}, before=[turn for turn in records if turn.seq < node.first_seq],
        turns=[turn for turn in records if turn.seq >= node.first_seq],
        anchors=[anchor_record(anchor) for anchor in anchors],
        by_hand=frozenset(anchor.id for anchor in anchors if anchor.settled_after is not None),
        loose=_loose(connection, conversation),
    )  # fmt: skip


def _loose(connection: Connection, conversation: ConversationId) -> list[Anchor]:
    """Read active anchors whose successor was deleted. They are few: only changes of turns leave them."""
    other = _anchor.alias("other")
    named = select(other.c.id).where(other.c.conversation == conversation, other.c.id == _anchor.c.related).exists()
    rows = connection.execute(
        select(*ANCHOR_COLUMNS)
        .where(_anchor.c.conversation == conversation, RULES, ACTIVE, _anchor.c.related.is_not(None), ~named)
        .order_by(_anchor.c.id)
    )
    return [anchor_record(row) for row in rows]


def commit(connection: Connection, refold: Refold, target: RefineTarget | None) -> bool:
    """Replace a segment and the chapters above it, if the conversation's state is unchanged; running folds start over.

    The fold job becomes due too: anchors of the open tail are reconciled with those of the segment.
    """
    before = refold.segment
    moved = connection.execute(
        update(_conversation)
        .where(
            _conversation.c.id == before.conversation, _conversation.c.closed_seq == before.closed_seq,
            _conversation.c.edit_revision == before.edit_revision, MAY_FOLD,
        )
        .values(edit_revision=before.edit_revision + 1, **ANCHORS_ADDED, **FOLDED_BY_US),
        anchors_added(connection, before.conversation, before.next_anchor, refold.anchors, refold.changes),
    )  # fmt: skip
    if not moved.rowcount:
        return False
    for node in refold.nodes:
        replace_node(connection, before.conversation, node)
    sql_vectors.drop_signs(connection, before.conversation, before.idx)
    if refold.meant is not None:
        sql_vectors.keep_signs(connection, before.conversation, before.idx, refold.meant)
    insert_anchors(connection, before.conversation, refold.anchors, refold.changes)
    _drop_stale(connection, refold)
    sql_removals.tell_sizes(connection, before.conversation)
    sql_outlines.rebuild(connection, before.conversation)
    connection.execute(
        update(_job).where(_job.c.id == refold.job).values(state=str(JobState.DONE), claim=None, error=None)
    )
    if target is not None:
        add_for_segment(connection, before.conversation, before.idx, target, again=True)
    fold_due(connection, [before.conversation])
    return True


def _drop_stale(connection: Connection, refold: Refold) -> None:
    """Delete anchors that the rules no longer find, and update the weights of the others."""
    conversation = refold.segment.conversation
    if refold.stale:
        sql_removals.drop_anchors(connection, conversation, _anchor.c.id.in_(refold.stale), relink=False)
    older = {anchor.id: anchor for anchor in refold.segment.anchors}
    for anchor in refold.weighed:
        if anchor != older[anchor.id]:
            connection.execute(
                update(_anchor)
                .where(_anchor.c.conversation == conversation, _anchor.c.id == anchor.id)
                .values(score=anchor.score, rank=anchor.rank)
            )


def replace_node(connection: Connection, conversation: ConversationId, folded: FoldedNode) -> None:
    """Replace a node, and keep the record of how its end was decided."""
    segments_changed = (folded.node.idx, folded.node.idx) if folded.node.height == 0 else (0, -1)
    with sql_refined_turns.recounted(connection, conversation, *segments_changed):
        ended = _delete_node(connection, conversation, folded)
    insert_node(connection, conversation, folded, ended)
    if folded.node.height == 0:
        segments = connection.scalar(select(_conversation.c.node_count).where(_conversation.c.id == conversation)) or 0
        POSTINGS.replace(connection, conversation, folded.node.idx, posted(folded), segments=segments)


def _delete_node(connection: Connection, conversation: ConversationId, folded: FoldedNode) -> SegmentEnd:
    """Delete a node with its text, a model's too, since that was made from the replaced text."""
    height, idx = folded.node.height, folded.node.idx
    older = connection.execute(
        delete(_node)
        .where(_node.c.conversation == conversation, _node.c.height == height, _node.c.idx == idx)
        .returning(_node.c.method, _node.c.decided_seq, _node.c.segmenter)
    ).first()
    connection.execute(
        delete(_level).where(_level.c.conversation == conversation, _level.c.height == height, _level.c.idx == idx)
    )
    connection.execute(
        delete(_notes).where(_notes.c.conversation == conversation, _notes.c.height == height, _notes.c.idx == idx)
    )
    sql_model_notes.drop(connection, conversation, _model_notes.c.height == height, _model_notes.c.idx == idx)
    if height == 0 and older is not None and older.method != Method.PLAIN:
        # Marks have no index by segment, so this scans the whole conversation: rare, and only for these segments.
        for rows in _BY_SEGMENT:
            connection.execute(delete(rows).where(rows.c.conversation == conversation, rows.c.idx == idx))
        first, last = number_of(folded.node.first_seq, 0), number_of(min(folded.node.last_seq, LAST_TURN), PLACES - 1)
        connection.execute(
            delete(_passage).where(
                _passage.c.conversation == conversation, _passage.c.bundle.between(bundle_of(first), bundle_of(last))
            )
        )
    return NO_END if older is None else SegmentEnd(older.decided_seq, older.segmenter)
