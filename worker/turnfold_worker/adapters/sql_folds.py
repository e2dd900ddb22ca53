"""Closing segments: the compress half of the SQL store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, and_, func, select, text, update

from turnfold.contract.notes import pack_notes, unpack_notes
from turnfold.contract.records import Anchor, AnchorState, ConversationId, Method, Node
from turnfold.contract.tables import (
    AnchorPostingRow,
    AnchorRow,
    ConversationRow,
    LevelRow,
    NodeRow,
    NoteListRow,
    OperationRow,
    PostingRow,
    table,
)
from turnfold.rows import KINDS, STATES, anchor_record, turn_record
from turnfold.statements import ACTIVE, ANCHOR_COLUMNS, turn_columns
from turnfold.statements import turn as _turn
from turnfold_worker.adapters.database_clock import now_milliseconds
from turnfold_worker.adapters.sql_erasures import standing
from turnfold_worker.adapters.sql_jobs import count_success
from turnfold_worker.adapters.sql_refine_jobs import add_for_segment
from turnfold_worker.model_ports import RefineTarget
from turnfold_worker.pipeline.deduplicate import AnchorChange, anchor_terms
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.ledger import Ledger
from turnfold_worker.pipeline.repeats import NEIGHBOURS
from turnfold_worker.ports import Fold, Tail

CANDIDATES_A_TERM: Final = 8
NEWEST_CANDIDATES: Final = 32
MOST_CANDIDATES: Final = 96
_TERMS_A_STATEMENT: Final = 16

_conversation = table(ConversationRow)
_operation = table(OperationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_notes = table(NoteListRow)
_anchor = table(AnchorRow)
_posting = table(PostingRow)
_anchor_posting = table(AnchorPostingRow)

# Sixteen looks at one term each: one constant statement, and no term reads more than its newest anchors.
_SHARING: Final = text(
    " UNION ALL ".join(
        "SELECT anchor FROM (SELECT anchor FROM anchor_posting WHERE conversation = :conversation "  # noqa: S608
        f"AND term = :t{i} ORDER BY anchor DESC LIMIT {CANDIDATES_A_TERM}) AS p{i}"
        for i in range(_TERMS_A_STATEMENT)
    )
)

RULES: Final = _anchor.c.id > 0
"""Anchors of the rules. A model's are below: what the rules do must never depend on them."""

_KIND_NUMBER: Final = {kind: number for number, kind in enumerate(KINDS)}
_STATE_NUMBER: Final = {state: number for number, state in enumerate(STATES)}


def tail(connection: Connection, conversation: ConversationId, most: int) -> Tail | None:
    """The committed state to fold from, and the turns after it."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation, standing())).first()
    if row is None:
        return None
    turns = connection.execute(
        select(*turn_columns(capped=False))
        .where(_turn.c.conversation == conversation, _turn.c.seq > row.closed_seq - NEIGHBOURS)
        .order_by(_turn.c.seq)
        .limit(most + min(NEIGHBOURS, row.closed_seq))
    )
    records = [turn_record(turn) for turn in turns]
    return Tail(
        conversation=conversation, closed_seq=row.closed_seq, turn_count=row.turn_count, node_count=row.node_count,
        next_anchor=row.next_anchor, edit_revision=row.edit_revision, segmenter=row.segmenter, said=row.said or {},
        configurations=configurations(connection, conversation, row.closed_seq),
        before=[turn for turn in records if turn.seq <= row.closed_seq],
        turns=[turn for turn in records if turn.seq > row.closed_seq],
    )  # fmt: skip


def configurations(
    connection: Connection, conversation: ConversationId, seen_seq: int
) -> list[tuple[int, Mapping[str, Any]]]:
    """(after_seq, what was then in force): the last before turn `seen_seq` + 1, and everything since."""
    own = and_(_operation.c.conversation == conversation, _operation.c.kind == "configure")
    before = select(func.max(_operation.c.number)).where(own, _operation.c.after_seq <= seen_seq).scalar_subquery()
    rows = connection.execute(
        select(_operation.c.after_seq, _operation.c.body)
        .where(own, _operation.c.number >= func.coalesce(before, 0))
        .order_by(_operation.c.number)
    )
    return [(row.after_seq, row.body) for row in rows]


def candidates(connection: Connection, conversation: ConversationId, terms: Sequence[str]) -> list[Anchor]:
    """Active anchors that share a term, at most 8 a term, and the 32 newest; oldest first, at most 96."""
    newest = (
        select(_anchor.c.id)
        .where(_anchor.c.conversation == conversation, ACTIVE, RULES)
        .order_by(_anchor.c.id.desc())
        .limit(NEWEST_CANDIDATES)
    )
    ids = set(connection.scalars(newest))
    sharing: set[int] = set()
    for start in range(0, len(terms), _TERMS_A_STATEMENT):
        block = [*terms[start : start + _TERMS_A_STATEMENT], *([""] * _TERMS_A_STATEMENT)]
        parameters: dict[str, Any] = {f"t{i}": block[i] for i in range(_TERMS_A_STATEMENT)}
        sharing.update(connection.scalars(_SHARING, {"conversation": conversation, **parameters}))
    ids.update(sorted(sharing, reverse=True)[: MOST_CANDIDATES - NEWEST_CANDIDATES])
    rows = connection.execute(
        select(*ANCHOR_COLUMNS)
        .where(_anchor.c.conversation == conversation, _anchor.c.id.in_(sorted(ids)))
        .order_by(_anchor.c.id)
    )
    return [anchor for row in rows if (anchor := anchor_record(row)).state is AnchorState.ACTIVE]


def siblings(
    connection: Connection, conversation: ConversationId, height: int, first: int, last: int
) -> list[FoldedNode]:
    """Stored nodes by index, with the rules' words."""
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
            select(_notes.c.idx, _notes.c.best, _notes.c.ledger, _notes.c.said).where(
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
            node=Node(
                height=row.height, idx=row.idx, first_seq=row.first_seq, last_seq=row.last_seq, slug=row.slug,
                tokens=(row.tokens_0, row.tokens_1, row.tokens_2, row.tokens_3), importance=row.importance,
                started_at=row.started_at, ended_at=row.ended_at,
            ),
            method=Method(row.method), levels=words.get(row.idx, {}), facts=row.facts, drafts=(), postings=(),
            source_hash=row.source_hash, **_notes_of(lists.get(row.idx)),
        )
        for row in rows
    ]  # fmt: skip


def _notes_of(row: Any) -> dict[str, Any]:
    if row is None:
        return {}
    return {"notes": unpack_notes(row.best), "ledger": Ledger.from_json(row.ledger), "said": row.said}


def commit(connection: Connection, fold: Fold, target: RefineTarget | None) -> bool:
    """Write a closed segment, its chapters and anchors, if the conversation is still as it was.

    With a `target` a group of segments that is complete now gets its refine job.
    """
    before, segment = fold.tail, fold.nodes[0].node
    moved = connection.execute(
        update(_conversation)
        .where(
            _conversation.c.id == before.conversation, _conversation.c.closed_seq == before.closed_seq,
            _conversation.c.edit_revision == before.edit_revision,
        )
        .values(
            closed_seq=segment.last_seq, node_count=before.node_count + 1, segmenter=dict(fold.segmenter),
            said=dict(fold.nodes[0].said),
            **anchors_added(connection, before.conversation, before.next_anchor, fold.anchors, fold.changes),
        )
    )  # fmt: skip
    if not moved.rowcount:
        return False
    for node in fold.nodes:
        insert_node(connection, before.conversation, node)
    insert_anchors(connection, before.conversation, fold.anchors, fold.changes)
    count_success(connection, fold)
    if target is not None:
        add_for_segment(connection, before.conversation, segment.idx, target)
    return True


def anchors_added(
    connection: Connection, conversation: ConversationId, next_anchor: int, anchors: Sequence[Anchor],
    changes: Sequence[AnchorChange],
) -> dict[str, Any]:  # fmt: skip
    """New values of a conversation's row with these anchors; its revision moves on."""
    active, tokens = _active_difference(connection, conversation, anchors, changes)
    return {
        "next_anchor": next_anchor + len(anchors), "anchor_count": _conversation.c.anchor_count + active,
        "anchor_tokens": _conversation.c.anchor_tokens + tokens, "revision": _conversation.c.revision + 1,
        "updated_at": func.current_timestamp(),
    }  # fmt: skip


def _active_difference(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor], changes: Sequence[AnchorChange]
) -> tuple[int, int]:
    """By how many anchors and tokens the active ones grow; changed ones were active, or they would be no candidates."""
    new = [anchor for anchor in anchors if anchor.state is AnchorState.ACTIVE]
    gone = [change.id for change in changes if change.state is not AnchorState.ACTIVE]
    lost = 0
    if gone:
        lost = connection.scalar(
            select(func.coalesce(func.sum(_anchor.c.tokens), 0)).where(
                _anchor.c.conversation == conversation, _anchor.c.id.in_(gone)
            )
        ) or 0  # fmt: skip
    return len(new) - len(gone), sum(anchor.tokens for anchor in new) - int(lost)


def insert_node(connection: Connection, conversation: ConversationId, folded: FoldedNode) -> None:
    """Write a node with its words and postings."""
    node = folded.node
    connection.execute(
        _node.insert().values(closed_at=now_milliseconds()),
        {
            "conversation": conversation, "height": node.height, "idx": node.idx, "first_seq": node.first_seq,
            "last_seq": node.last_seq, "started_at": node.started_at, "ended_at": node.ended_at, "slug": node.slug,
            "tokens_0": node.tokens[0], "tokens_1": node.tokens[1], "tokens_2": node.tokens[2],
            "tokens_3": node.tokens[3], "importance": node.importance, "method": int(folded.method),
            "facts": dict(folded.facts), "source_hash": folded.source_hash,
        },
    )  # fmt: skip
    connection.execute(
        _level.insert(),
        [
            {"conversation": conversation, "height": node.height, "idx": node.idx, "level": level, "refined": 0,
             "body": body}
            for level, body in sorted(folded.levels.items())
        ],
    )  # fmt: skip
    connection.execute(
        _notes.insert(),
        {
            "conversation": conversation, "height": node.height, "idx": node.idx,
            "tokens": sum(note.tokens for note in folded.notes), "best": pack_notes(folded.notes),
            "rest": pack_notes(folded.rest), "ledger": folded.ledger.to_json(), "said": dict(folded.said),
        },
    )  # fmt: skip
    if folded.postings:
        connection.execute(
            _posting.insert(),
            [
                {"conversation": conversation, "term": term, "weight": weight, "idx": node.idx}
                for term, weight in folded.postings
            ],
        )


def insert_anchors(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor], changes: Sequence[AnchorChange]
) -> None:
    """Write new anchors with the terms that find them, and the new states of earlier ones."""
    if anchors:
        connection.execute(_anchor.insert(), [anchor_row(conversation, anchor) for anchor in anchors])
        postings = [
            {"conversation": conversation, "term": term, "anchor": anchor.id}
            for anchor in anchors
            for term in anchor_terms(anchor.text)
        ]
        if postings:
            connection.execute(_anchor_posting.insert(), postings)
    change_anchors(connection, conversation, changes)


def change_anchors(connection: Connection, conversation: ConversationId, changes: Sequence[AnchorChange]) -> None:
    """Give anchors their new states."""
    for change in changes:
        connection.execute(
            update(_anchor)
            .where(_anchor.c.conversation == conversation, _anchor.c.id == change.id)
            .values(state=_STATE_NUMBER[change.state], related=change.related)
        )


def anchor_row(conversation: ConversationId, anchor: Anchor) -> dict[str, Any]:
    """An anchor as columns."""
    return {
        "conversation": conversation, "id": anchor.id, "node_idx": anchor.node_idx, "seq": anchor.turn_seq,
        "start_offset": anchor.start, "end_offset": anchor.end, "kind": _KIND_NUMBER[anchor.type],
        "body": anchor.text, "tokens": anchor.tokens, "score": anchor.score, "rank": anchor.rank,
        "state": _STATE_NUMBER[anchor.state], "related": anchor.related,
    }  # fmt: skip
