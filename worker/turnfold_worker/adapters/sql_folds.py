"""Folding: the compress half of the SQL store."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, case, func, literal_column, or_, select, text, update

from turnfold.contract.configuration import merged
from turnfold.contract.records import Anchor, AnchorState, ConversationId, Method, Node
from turnfold.contract.tables import (
    AnchorPostingRow,
    AnchorRow,
    ConversationRow,
    JobRow,
    LevelRow,
    NodeRow,
    OperationRow,
    PostingRow,
    table,
)
from turnfold.contract.tasks import JobKind, JobState
from turnfold.reader import KINDS, STATES, anchor_record, turn_record
from turnfold.statements import ACTIVE, ANCHOR_COLUMNS, turn_columns
from turnfold.statements import turn as _turn
from turnfold_worker.adapters.database_clock import now_milliseconds
from turnfold_worker.adapters.sql_turns import insert_new
from turnfold_worker.pipeline.deduplicate import anchor_terms
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.ports import Fold, FoldClaim, Tail

CANDIDATES_A_TERM: Final = 8
NEWEST_CANDIDATES: Final = 32
MOST_CANDIDATES: Final = 96
_TERMS_A_STATEMENT: Final = 16
FOLDS_A_TENANT: Final = 50
"""Due jobs of one tenant that one sweep publishes: a flood of one must not hide the others."""

_conversation = table(ConversationRow)
_operation = table(OperationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)
_posting = table(PostingRow)
_anchor_posting = table(AnchorPostingRow)
_job = table(JobRow)

# Sixteen looks at one term each: one constant statement, and no term reads more than its newest anchors.
_SHARING: Final = text(
    " UNION ALL ".join(
        "SELECT anchor FROM (SELECT anchor FROM anchor_posting WHERE conversation = :conversation "  # noqa: S608
        f"AND term = :t{i} ORDER BY anchor DESC LIMIT {CANDIDATES_A_TERM}) AS p{i}"
        for i in range(_TERMS_A_STATEMENT)
    )
)

# Literals: a partial index is not used for a bound parameter.
_DUE: Final = _job.c.state == literal_column("'due'")
_RUNNING: Final = _job.c.state == literal_column("'running'")

_KIND_NUMBER: Final = {kind: number for number, kind in enumerate(KINDS)}
_STATE_NUMBER: Final = {state: number for number, state in enumerate(STATES)}


def _fold_job(conversation: ConversationId) -> ColumnElement[bool]:
    return and_(_job.c.conversation == conversation, _job.c.kind == str(JobKind.COMPRESS))


def _lapsed(lease_milliseconds: int) -> ColumnElement[bool]:
    """A lease that ended, or that ends later than any lease can: the clock was set back."""
    now = now_milliseconds()
    return and_(
        _RUNNING,
        or_(_job.c.lease_until <= now, _job.c.lease_until > now + 2 * lease_milliseconds),
    )


def claim(connection: Connection, conversation: ConversationId, *, lease_milliseconds: int) -> FoldClaim | None:
    """Take the job and count the attempt before any work: what kills its worker is counted too."""
    token = str(uuid.uuid4())
    attempts = connection.scalar(
        update(_job)
        .where(_fold_job(conversation), or_(_DUE, _lapsed(lease_milliseconds)))
        .values(
            state=str(JobState.RUNNING), claim=token, attempts=_job.c.attempts + 1,
            lease_until=now_milliseconds() + lease_milliseconds,
        )
        .returning(_job.c.attempts)
    )  # fmt: skip
    return None if attempts is None else FoldClaim(conversation, token, attempts)


def release(connection: Connection, claimed: FoldClaim, *, error: str | None, delay_milliseconds: int) -> None:
    """Give the job back."""
    values: dict[str, Any] = {
        "state": str(JobState.DUE), "claim": None, "not_before": now_milliseconds() + delay_milliseconds,
        "error": error[:500] if error else None,
    }  # fmt: skip
    if error is None:
        # A slice that ended is not a failed try.
        values["attempts"] = case((_job.c.attempts > 0, _job.c.attempts - 1), else_=0)
    connection.execute(
        update(_job).where(_fold_job(claimed.conversation), _job.c.claim == claimed.claim).values(values)
    )


def finish(connection: Connection, claimed: FoldClaim, folded_seq: int) -> bool:
    """Record what was seen and close the job, unless turns came meanwhile: then it stays ours."""
    seen = connection.execute(
        update(_conversation)
        .where(_conversation.c.id == claimed.conversation, _conversation.c.turn_count == folded_seq)
        .values(fold_seq=folded_seq, revision=_conversation.c.revision + 1, updated_at=func.current_timestamp())
    )
    if not seen.rowcount:
        ours = connection.scalar(
            select(func.count()).select_from(_job).where(_fold_job(claimed.conversation), _job.c.claim == claimed.claim)
        )
        return not ours
    connection.execute(
        update(_job)
        .where(_fold_job(claimed.conversation), _job.c.claim == claimed.claim)
        .values(state=str(JobState.DONE), claim=None, attempts=0, error=None)
    )
    return True


def due(connection: Connection, most: int, *, lease_milliseconds: int, republish_milliseconds: int) -> list[int]:
    """Conversations whose job nobody is on the way to; counted as published from now on."""
    now = now_milliseconds()
    waiting = and_(
        _DUE,
        or_(_job.c.not_before <= now, _job.c.not_before > now + 2 * republish_milliseconds),
    )
    ranked = (
        select(
            _job.c.id,
            func.row_number().over(partition_by=_job.c.tenant, order_by=(_job.c.not_before, _job.c.id)).label("place"),
        )
        .where(_job.c.kind == str(JobKind.COMPRESS), or_(waiting, _lapsed(lease_milliseconds)))
        .subquery()
    )
    chosen = select(ranked.c.id).where(ranked.c.place <= FOLDS_A_TENANT).order_by(ranked.c.place, ranked.c.id)
    return list(
        connection.scalars(
            update(_job)
            .where(_job.c.id.in_(chosen.limit(most)))
            .values(state=str(JobState.DUE), claim=None, not_before=now_milliseconds() + republish_milliseconds)
            .returning(_job.c.conversation)
        )
    )


def tail(connection: Connection, conversation: ConversationId, most: int) -> Tail | None:
    """The committed state to fold from, and the turns after it."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    if row is None:
        return None
    turns = connection.execute(
        select(*turn_columns(capped=False))
        .where(_turn.c.conversation == conversation, _turn.c.seq > row.closed_seq)
        .order_by(_turn.c.seq)
        .limit(most)
    )
    return Tail(
        conversation=conversation, closed_seq=row.closed_seq, turn_count=row.turn_count, node_count=row.node_count,
        next_anchor=row.next_anchor, edit_revision=row.edit_revision, segmenter=row.segmenter,
        configurations=_configurations(connection, conversation), turns=[turn_record(turn) for turn in turns],
    )  # fmt: skip


def _configurations(connection: Connection, conversation: ConversationId) -> list[tuple[int, Mapping[str, Any]]]:
    in_force: Mapping[str, Any] = {}
    out: list[tuple[int, Mapping[str, Any]]] = []
    rows = connection.execute(
        select(_operation.c.after_seq, _operation.c.body)
        .where(_operation.c.conversation == conversation, _operation.c.kind == "configure")
        .order_by(_operation.c.number)
    )
    for row in rows:
        in_force = merged(in_force, row.body)
        out.append((row.after_seq, in_force))
    return out


def candidates(connection: Connection, conversation: ConversationId, terms: Sequence[str]) -> list[Anchor]:
    """Active anchors that share a term, at most 8 a term, and the 32 newest; oldest first, at most 96."""
    newest = (
        select(_anchor.c.id)
        .where(_anchor.c.conversation == conversation, ACTIVE)
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
            source_hash=row.source_hash,
        )
        for row in rows
    ]  # fmt: skip


def commit(connection: Connection, fold: Fold) -> bool:
    """Write a closed segment, its chapters and anchors, if the conversation is still as it was."""
    before, segment = fold.tail, fold.nodes[0].node
    active, tokens = _active_difference(connection, fold)
    moved = connection.execute(
        update(_conversation)
        .where(
            _conversation.c.id == before.conversation, _conversation.c.closed_seq == before.closed_seq,
            _conversation.c.edit_revision == before.edit_revision,
        )
        .values(
            closed_seq=segment.last_seq, node_count=before.node_count + 1,
            next_anchor=before.next_anchor + len(fold.anchors),
            anchor_count=_conversation.c.anchor_count + active, anchor_tokens=_conversation.c.anchor_tokens + tokens,
            segmenter=dict(fold.segmenter), revision=_conversation.c.revision + 1,
            updated_at=func.current_timestamp(),
        )
    )  # fmt: skip
    if not moved.rowcount:
        return False
    for node in fold.nodes:
        _insert_node(connection, before.conversation, node)
    _insert_anchors(connection, before.conversation, fold)
    _count_success(connection, before.conversation, fold)
    return True


def _active_difference(connection: Connection, fold: Fold) -> tuple[int, int]:
    """By how many anchors and tokens the active ones grow; changed ones were active, or they would be no candidates."""
    new = [anchor for anchor in fold.anchors if anchor.state is AnchorState.ACTIVE]
    gone = [change.id for change in fold.changes if change.state is not AnchorState.ACTIVE]
    lost = 0
    if gone:
        lost = connection.scalar(
            select(func.coalesce(func.sum(_anchor.c.tokens), 0)).where(
                _anchor.c.conversation == fold.tail.conversation, _anchor.c.id.in_(gone)
            )
        ) or 0  # fmt: skip
    return len(new) - len(gone), sum(anchor.tokens for anchor in new) - int(lost)


def _insert_node(connection: Connection, conversation: ConversationId, folded: FoldedNode) -> None:
    node = folded.node
    connection.execute(
        _node.insert(),
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
    if folded.postings:
        connection.execute(
            _posting.insert(),
            [
                {"conversation": conversation, "term": term, "weight": weight, "idx": node.idx}
                for term, weight in folded.postings
            ],
        )


def _insert_anchors(connection: Connection, conversation: ConversationId, fold: Fold) -> None:
    if fold.anchors:
        connection.execute(_anchor.insert(), [_anchor_row(conversation, anchor) for anchor in fold.anchors])
        postings = [
            {"conversation": conversation, "term": term, "anchor": anchor.id}
            for anchor in fold.anchors
            for term in anchor_terms(anchor.text)
        ]
        if postings:
            connection.execute(_anchor_posting.insert(), postings)
    for change in fold.changes:
        connection.execute(
            update(_anchor)
            .where(_anchor.c.conversation == conversation, _anchor.c.id == change.id)
            .values(state=_STATE_NUMBER[change.state], related=change.related)
        )


def _anchor_row(conversation: ConversationId, anchor: Anchor) -> dict[str, Any]:
    return {
        "conversation": conversation, "id": anchor.id, "node_idx": anchor.node_idx, "seq": anchor.turn_seq,
        "start_offset": anchor.start, "end_offset": anchor.end, "kind": _KIND_NUMBER[anchor.type],
        "body": anchor.text, "tokens": anchor.tokens, "score": anchor.score, "rank": anchor.rank,
        "state": _STATE_NUMBER[anchor.state], "related": anchor.related,
    }  # fmt: skip


def _count_success(connection: Connection, conversation: ConversationId, fold: Fold) -> None:
    connection.execute(update(_job).where(_fold_job(conversation)).values(attempts=0, error=None))
    if fold.refold_error is None:
        return
    node = fold.nodes[0].node
    tenant = connection.scalar(select(_conversation.c.tenant).where(_conversation.c.id == conversation))
    connection.execute(
        insert_new(connection, _job).on_conflict_do_nothing(),
        {
            "conversation": conversation, "tenant": tenant, "kind": str(JobKind.REFOLD), "subject": node.idx,
            "input_hash": fold.nodes[0].source_hash.hex(), "state": str(JobState.PARKED),
            "error": fold.refold_error[:500],
        },
    )  # fmt: skip
