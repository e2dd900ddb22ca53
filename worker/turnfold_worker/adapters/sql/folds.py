"""Closing segments: the folding half of the SQL store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Integer, and_, bindparam, func, select, update

from turnfold.contract.actions import unpack_actions
from turnfold.contract.dropped_postings import unpack_mark
from turnfold.contract.note_lists import pack_notes, unpack_notes
from turnfold.contract.posting_pieces import Posted
from turnfold.contract.records import Anchor, AnchorChange, ConversationId, Method
from turnfold.contract.tables import (
    BlockListRow,
    ConversationRow,
    LevelRow,
    NodeRow,
    NoteListRow,
    OperationRow,
    PartListRow,
    PassageRow,
    RepeatMarkRow,
    standing,
    table,
)
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.rows import rules_node_record, turn_record
from turnfold.database.statements import turn as _turn
from turnfold.database.statements import turn_columns
from turnfold_worker.adapters.sql import model_search as sql_model_search
from turnfold_worker.adapters.sql import turn_memos as sql_turn_memos
from turnfold_worker.adapters.sql import vectors as sql_vectors
from turnfold_worker.adapters.sql.anchors import active_difference, insert_anchors
from turnfold_worker.adapters.sql.bulk_insert import BulkInsert
from turnfold_worker.adapters.sql.jobs import count_success
from turnfold_worker.adapters.sql.postings import MARK_BODY, POSTINGS
from turnfold_worker.adapters.sql.refine_jobs import add_for_segment
from turnfold_worker.adapters.sql.rules_guard import FOLDED_BY_US, MAY_FOLD, is_newer
from turnfold_worker.errors import NewerRules
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.name_index import NameIndex
from turnfold_worker.pipeline.notes.passages import bundles_of
from turnfold_worker.pipeline.turns.repeats import NEIGHBOURS
from turnfold_worker.ports.messages import Fold, Tail
from turnfold_worker.ports.models import RefineTarget

_conversation = table(ConversationRow)
_operation = table(OperationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_notes = table(NoteListRow)
_passage = table(PassageRow)
_block_list = table(BlockListRow)
_part_list = table(PartListRow)
_repeat_mark = table(RepeatMarkRow)

# Built once: SQLAlchemy takes longer to build these than the database to run them.
_INSERT_NODE: Final = _node.insert().values(closed_at=now_milliseconds())
_INSERT_LEVELS: Final = BulkInsert(_level, ("conversation", "height", "idx", "level", "refined", "body"))
_INSERT_NOTES: Final = _notes.insert()
_INSERT_PASSAGES: Final = BulkInsert(_passage, ("conversation", "bundle", "body", "times"))
_INSERT_BLOCKS: Final = BulkInsert(_block_list, ("conversation", "idx", "body"))
_INSERT_PARTS: Final = BulkInsert(_part_list, ("conversation", "idx", "body"))
_INSERT_MARKS: Final = BulkInsert(_repeat_mark, ("conversation", "mark", "idx", "seqs"))
ANCHORS_ADDED: Final[Mapping[str, Any]] = {
    "next_anchor": bindparam("anchors_from"), "anchor_count": _conversation.c.anchor_count + bindparam("more_anchors"),
    "anchor_tokens": _conversation.c.anchor_tokens + bindparam("more_anchor_tokens"),
    "refined_anchors": _conversation.c.refined_anchors + bindparam("ended_before"),
    "refined_anchor_tokens": _conversation.c.refined_anchor_tokens + bindparam("ended_tokens"),
    "revision": _conversation.c.revision + 1, "updated_at": func.current_timestamp(),
}  # fmt: skip
"""Values for a conversation's row that gets more anchors, with the parameters of `anchors_added`."""
_CLOSE: Final = (
    update(_conversation)
    .where(
        _conversation.c.id == bindparam("of_conversation"), _conversation.c.closed_seq == bindparam("closed_before"),
        _conversation.c.edit_revision == bindparam("edited"), MAY_FOLD,
    )
    .values(
        closed_seq=bindparam("closed"), node_count=bindparam("nodes"), segmenter=bindparam("remembered"),
        said=bindparam("said_by_now"), words_since=func.coalesce(_conversation.c.words_since, now_milliseconds()),
        **ANCHORS_ADDED,
    )
)  # fmt: skip
_SEEN: Final = (
    update(_conversation)
    .where(
        _conversation.c.id == bindparam("of_conversation"), _conversation.c.closed_seq == bindparam("closed"),
        _conversation.c.turn_count == bindparam("turns"), _conversation.c.edit_revision == bindparam("edited"),
        MAY_FOLD,
    )
    .values(
        fold_seq=bindparam("turns"), unfolded_tokens=0, revision=_conversation.c.revision + 1,
        updated_at=func.current_timestamp(), **FOLDED_BY_US,
    )
)  # fmt: skip
_CLOSED: Final = (
    update(_conversation)
    .where(
        _conversation.c.id == bindparam("of_conversation"),
        _conversation.c.closed_seq == bindparam("closed"),
        _conversation.c.fold_seq < bindparam("closed"),
        _conversation.c.edit_revision == bindparam("edited"),
        MAY_FOLD,
    )
    .values(
        fold_seq=bindparam("closed"),
        revision=_conversation.c.revision + 1,
        updated_at=func.current_timestamp(),
        **FOLDED_BY_US,
    )
)
_STATE: Final = select(_conversation, MARK_BODY.label("mark")).where(
    _conversation.c.id == bindparam("of_conversation"), standing()
)
_TURNS: Final = (
    select(*turn_columns(capped=False))
    .where(_turn.c.conversation == bindparam("of_conversation"), _turn.c.seq > bindparam("after"))
    .order_by(_turn.c.seq)
    .limit(bindparam("most", type_=Integer))
)


def record_seen(connection: Connection, seen: Tail) -> bool:
    """Record that all turns were folded, and lock the conversation; False when its state has changed."""
    recorded = connection.execute(
        _SEEN,
        {
            "of_conversation": seen.conversation, "closed": seen.closed_seq, "turns": seen.turn_count,
            "edited": seen.edit_revision,
        },
    )  # fmt: skip
    return bool(recorded.rowcount)


def record_closed(connection: Connection, seen: Tail) -> bool:
    """Record that the outline covers all closed turns, and lock the conversation; False when its state has changed."""
    recorded = connection.execute(
        _CLOSED, {"of_conversation": seen.conversation, "closed": seen.closed_seq, "edited": seen.edit_revision}
    )
    return bool(recorded.rowcount)


def tail(connection: Connection, conversation: ConversationId, most: int) -> Tail | None:
    """Read the committed state to fold from, without the outline's frame, and the turns after it."""
    row = connection.execute(_STATE, {"of_conversation": conversation}).first()
    if row is None:
        return None
    if is_newer(row.rules_version):
        raise NewerRules(f"newer rules (version {row.rules_version}) have folded conversation {conversation}")
    asked = {"after": row.closed_seq - NEIGHBOURS, "most": most + min(NEIGHBOURS, row.closed_seq)}
    turns = connection.execute(_TURNS, {"of_conversation": conversation, **asked})
    records = [turn_record(turn) for turn in turns]
    return Tail(
        conversation=conversation, closed_seq=row.closed_seq, turn_count=row.turn_count, node_count=row.node_count,
        next_anchor=row.next_anchor, edit_revision=row.edit_revision, segmenter=row.segmenter, said=row.said or {},
        # A configured conversation has settings, even if they are empty.
        configurations=[] if row.settings is None else configurations(connection, conversation, row.closed_seq),
        before=[turn for turn in records if turn.seq <= row.closed_seq],
        turns=[turn for turn in records if turn.seq > row.closed_seq],
        postings_standing=None if row.mark is None else unpack_mark(bytes(row.mark)),
    )  # fmt: skip


def configurations(
    connection: Connection, conversation: ConversationId, seen_seq: int
) -> list[tuple[int, Mapping[str, Any]]]:
    """Read (after_seq, configuration): the last one before turn `seen_seq` + 1, and all since."""
    own = and_(_operation.c.conversation == conversation, _operation.c.kind == "configure")
    before = select(func.max(_operation.c.number)).where(own, _operation.c.after_seq <= seen_seq).scalar_subquery()
    rows = connection.execute(
        select(_operation.c.after_seq, _operation.c.body)
        .where(own, _operation.c.number >= func.coalesce(before, 0))
        .order_by(_operation.c.number)
    )
    return [(row.after_seq, row.body) for row in rows]


def siblings(
    connection: Connection, conversation: ConversationId, height: int, first: int, last: int
) -> list[FoldedNode]:
    """Read stored nodes in order of index, with the text of the rules."""
    words: dict[int, dict[int, str]] = {}
    for row in connection.execute(
        select(_level.c.idx, _level.c.level, _level.c.body).where(
            _level.c.conversation == conversation, _level.c.height == height, _level.c.idx.between(first, last),
            _level.c.refined == 0,
        )
    ):  # fmt: skip
        words.setdefault(row.idx, {})[row.level] = row.body
    lists = {
        row.idx: row
        for row in connection.execute(
            select(_notes.c.idx, _notes.c.best, _notes.c.ledger, _notes.c.actions, _notes.c.said).where(
                _notes.c.conversation == conversation, _notes.c.height == height, _notes.c.idx.between(first, last)
            )
        )
    }
    rows = connection.execute(
        select(_node)
        .where(_node.c.conversation == conversation, _node.c.height == height, _node.c.idx.between(first, last))
        .order_by(_node.c.idx)
    )
    return [
        FoldedNode(
            node=rules_node_record(row),
            method=Method(row.method), levels=words.get(row.idx, {}), facts=row.facts, drafts=(), postings=(),
            source_hash=row.source_hash, **_notes_of(lists.get(row.idx)),
        )
        for row in rows
    ]  # fmt: skip


def _notes_of(row: Any) -> dict[str, Any]:
    if row is None:
        return {}
    return {
        "notes": unpack_notes(row.best), "names": NameIndex.from_json(row.ledger),
        "actions": unpack_actions(row.actions), "said": row.said,
    }  # fmt: skip


def commit(
    connection: Connection, fold: Fold, claim: str, target: RefineTarget | None, *, lease_milliseconds: int
) -> bool:
    """Write a closed segment, its chapters and anchors, if the conversation's state is unchanged.

    With a `target`, a group of segments that is now complete gets its refine job.
    """
    before, segment = fold.tail, fold.nodes[0].node
    moved = connection.execute(
        _CLOSE,
        {
            "of_conversation": before.conversation, "closed_before": before.closed_seq,
            "edited": before.edit_revision, "closed": segment.last_seq, "nodes": before.node_count + 1,
            "remembered": dict(fold.segmenter), "said_by_now": dict(fold.nodes[0].said),
            **anchors_added(connection, before.conversation, before.next_anchor, fold.anchors, fold.changes),
        },
    )  # fmt: skip
    if not moved.rowcount:
        return False
    sql_turn_memos.drop_up_to(connection, before.conversation, segment.last_seq)
    for node in fold.nodes:
        ended = SegmentEnd(fold.decided_seq, fold.segmenter) if node.node.height == 0 else NO_END
        insert_node(connection, before.conversation, node, ended)
    POSTINGS.append(connection, before.conversation, segment.idx, posted(fold.nodes[0]))
    sql_model_search.MODEL_POSTINGS.append(connection, before.conversation, segment.idx, ())
    if fold.meant is not None:
        sql_vectors.keep_signs(connection, before.conversation, segment.idx, fold.meant)
    insert_anchors(connection, before.conversation, fold.anchors, fold.changes)
    count_success(connection, fold, claim, lease_milliseconds=lease_milliseconds)
    if target is not None:
        add_for_segment(connection, before.conversation, segment.idx, target)
    return True


def anchors_added(
    connection: Connection,
    conversation: ConversationId,
    next_anchor: int,
    anchors: Sequence[Anchor],
    changes: Sequence[AnchorChange],
) -> dict[str, int]:
    """Return the parameters of `ANCHORS_ADDED`."""
    active = active_difference(connection, conversation, anchors, changes)
    return {"anchors_from": next_anchor + len(anchors), **active}


class SegmentEnd(NamedTuple):
    """How a segment's end was decided: the state that a rewind restores."""

    decided_seq: int
    segmenter: Mapping[str, Any] | None


NO_END: Final = SegmentEnd(0, None)
"""Value for a chapter."""


def insert_node(connection: Connection, conversation: ConversationId, folded: FoldedNode, ended: SegmentEnd) -> None:
    """Write a node with its levels, notes, passages, blocks, parts and marks, but not its postings."""
    node = folded.node
    connection.execute(
        _INSERT_NODE,
        {
            "conversation": conversation, "height": node.height, "idx": node.idx, "first_seq": node.first_seq,
            "last_seq": node.last_seq, "started_at": node.started_at, "ended_at": node.ended_at, "slug": node.slug,
            "tokens_0": node.tokens[0], "tokens_1": node.tokens[1], "tokens_2": node.tokens[2],
            "tokens_3": node.tokens[3], "importance": node.importance, "method": int(folded.method),
            "facts": dict(folded.facts), "source_hash": folded.source_hash, "decided_seq": ended.decided_seq,
            "segmenter": None if ended.segmenter is None else dict(ended.segmenter),
        },
    )  # fmt: skip
    _INSERT_LEVELS.run(
        connection,
        [(conversation, node.height, node.idx, level, 0, body) for level, body in sorted(folded.levels.items())],
    )
    connection.execute(
        _INSERT_NOTES,
        {
            "conversation": conversation, "height": node.height, "idx": node.idx,
            "tokens": sum(note.least_tokens for note in folded.notes), "best": pack_notes(folded.notes),
            "ledger": folded.names.to_json(), "actions": folded.actions, "said": dict(folded.said),
        },
    )  # fmt: skip
    _INSERT_PASSAGES.run(connection, [(conversation, *bundle) for bundle in bundles_of(folded.passages)])
    if folded.blocks:
        _INSERT_BLOCKS.run(connection, [(conversation, node.idx, folded.blocks)])
    if folded.parts:
        _INSERT_PARTS.run(connection, [(conversation, node.idx, folded.parts)])
    _INSERT_MARKS.run(connection, [(conversation, mark, node.idx, seqs) for mark, seqs in sorted(folded.repeats)])


def posted(folded: FoldedNode) -> list[Posted]:
    """Return the postings of a segment, with its index."""
    return [(term, folded.node.idx, weight, where) for term, weight, where in folded.postings]
