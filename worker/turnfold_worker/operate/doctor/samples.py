"""Invariants that are computed in Python: on the newest nodes only, because each costs as much as reading its turns."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Engine, exists, literal, select

from turnfold.contract.records import ConversationId, TurnState
from turnfold.contract.tables import ConversationRow, JobRow, LevelRow, NodeRow, TurnRow, standing, table
from turnfold.contract.tasks import JobKind
from turnfold.database.failures import translated
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn_columns
from turnfold.tokens import estimate_tokens
from turnfold_worker.operate.doctor.finding import Finding, judged
from turnfold_worker.pipeline.fold import source_hash

NEWEST: Final = 200
"""Nodes that are checked."""

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_node = table(NodeRow)
_level = table(LevelRow)
_job = table(JobRow)

_DAMAGE: Final = "the rows were changed externally, or written by another version: back up the database and report it"


def check_samples(engine: Engine) -> list[Finding]:
    """Compare segments with the turns they were made from, and stored token counts with the stored text."""
    with translated(), engine.begin() as connection:
        return [_check_sources(connection), _check_counts(connection)]


def _check_sources(connection: Connection) -> Finding:
    """Compare the source hashes of segments with their turns, except where a refold is pending."""
    to_refold = exists(
        select(literal(1)).where(
            _job.c.conversation == _node.c.conversation, _job.c.kind == str(JobKind.REFOLD),
            _job.c.subject == _node.c.idx, _job.c.state.in_(("due", "running", "parked", "skipped")),
        )
    )  # fmt: skip
    rows = connection.execute(
        select(_node.c.conversation, _node.c.idx, _node.c.first_seq, _node.c.last_seq, _node.c.source_hash)
        .join(_conversation, _conversation.c.id == _node.c.conversation)
        .where(_node.c.height == 0, ~to_refold, standing())
        .order_by(_node.c.conversation.desc(), _node.c.idx.desc())
        .limit(NEWEST)
    ).all()
    wrong = [_name(connection, row) for row in rows if not _made_of_its_turns(connection, row)]
    return judged(
        "I5 determinism: segments match the stored turns", ok=not wrong,
        detail=_counted(len(rows), "newest segments", wrong), remedy=_DAMAGE,
    )  # fmt: skip


def _made_of_its_turns(connection: Connection, node: Any) -> bool:
    turns = [
        turn_record(row)
        for row in connection.execute(
            select(*turn_columns(capped=False))
            .where(_turn.c.conversation == node.conversation, _turn.c.seq.between(node.first_seq, node.last_seq))
            .order_by(_turn.c.seq)
        )
    ]
    if any(turn.state is TurnState.EXPIRED for turn in turns):
        return True
    return source_hash(turns) == bytes(node.source_hash)


def _check_counts(connection: Connection) -> Finding:
    tokens = (_node.c.tokens_1, _node.c.tokens_2, _node.c.tokens_3)
    rows = connection.execute(
        select(_node.c.conversation, _node.c.height, _node.c.idx, *tokens)
        .join(_conversation, _conversation.c.id == _node.c.conversation)
        .where(standing())
        .order_by(_node.c.conversation.desc(), _node.c.height.desc(), _node.c.idx.desc())
        .limit(NEWEST)
    ).all()
    wrong = [_name(connection, row) for row in rows if not _counts_agree(connection, row)]
    return judged(
        "I6 budget: stored token counts match the stored text", ok=not wrong,
        detail=_counted(len(rows), "newest nodes", wrong), remedy=_DAMAGE,
    )  # fmt: skip


def _counts_agree(connection: Connection, node: Any) -> bool:
    bodies = connection.execute(
        select(_level.c.level, _level.c.body).where(
            _level.c.conversation == node.conversation, _level.c.height == node.height, _level.c.idx == node.idx,
            _level.c.refined == 0,
        )
    )  # fmt: skip
    return all(estimate_tokens(row.body) == getattr(node, f"tokens_{row.level}") for row in bodies)


def _counted(number: int, what: str, wrong: list[str]) -> str:
    return f"{len(wrong)} of {number} {what}: {', '.join(wrong[:5])}" if wrong else f"{number} {what}"


def _name(connection: Connection, row: Any) -> str:
    found = connection.execute(
        select(_conversation.c.tenant, _conversation.c.external_id).where(
            _conversation.c.id == ConversationId(row.conversation)
        )
    ).one()
    return f"{found.tenant}:{found.external_id} {getattr(row, 'height', 0)}/{row.idx}"
