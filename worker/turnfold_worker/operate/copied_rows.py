"""Rows of a conversation that are compared between two databases, in addition to its digest."""

from __future__ import annotations

from collections.abc import Generator

from sqlalchemy import ColumnElement, Engine, func, select

from turnfold.contract.keys import Address
from turnfold.contract.tables import ConversationRow, JobRow, OperationRow, TurnRow, standing, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.exports import ROWS_AT_ONCE
from turnfold.database.failures import translated

_conversation, _turn, _operation = table(ConversationRow), table(TurnRow), table(OperationRow)


def turns_of_tenant(engine: Engine, tenant: str) -> int:
    counted = select(func.coalesce(func.sum(_conversation.c.turn_count), 0))
    with translated(), engine.begin() as connection:
        return int(connection.scalar(counted.where(_conversation.c.tenant == tenant, standing())) or 0)


def _own(address: Address) -> tuple[ColumnElement[bool], ...]:
    return _conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation


def stored_turns(engine: Engine, address: Address) -> Generator[tuple[int, str, bytes, int], None, None]:
    """Stream (seq, turn_id, content_hash, state) of each stored turn in order, block by block. Close the generator."""
    wanted = (
        select(_turn.c.seq, _turn.c.turn_id, _turn.c.content_hash, _turn.c.state)
        .join(_conversation, _conversation.c.id == _turn.c.conversation)
        .where(*_own(address))
        .order_by(_turn.c.seq)
    )
    with (
        translated(),
        engine.begin() as connection,
        # Closing the result closes its cursor when the caller does not read to the end.
        connection.execution_options(yield_per=ROWS_AT_ONCE).execute(wanted) as rows,
    ):
        for seq, turn_id, content_hash, state in rows:
            yield seq, turn_id, bytes(content_hash), int(state)


def operation_count(engine: Engine, address: Address) -> int | None:
    """Return the number of operations stored for a conversation; None when the conversation is not stored."""
    with translated(), engine.begin() as connection:
        id_ = connection.scalar(select(_conversation.c.id).where(*_own(address)))
        counted = select(func.count()).select_from(_operation).where(_operation.c.conversation == id_)
        return None if id_ is None else int(connection.scalar(counted) or 0)


def is_folded_again(engine: Engine, address: Address) -> bool:
    """Tell whether refold jobs are open for a conversation, in which case its digest is about to change."""
    job = table(JobRow)
    due = (
        select(job.c.id)
        .join(_conversation, _conversation.c.id == job.c.conversation)
        .where(*_own(address), job.c.kind == str(JobKind.REFOLD))
        .where(job.c.state.in_([str(JobState.DUE), str(JobState.RUNNING)]))
        .limit(1)
    )
    with translated(), engine.begin() as connection:
        return connection.scalar(due) is not None
