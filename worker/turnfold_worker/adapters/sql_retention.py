"""Removing the words of old turns in SQL. Anchors, notes, levels and sizes stay: only Level 0 goes."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, func, select, update

from turnfold.contract.records import ConversationId, TurnState
from turnfold.contract.tables import ConversationRow, NodeRow, TurnRow, table
from turnfold_worker.adapters.database_clock import now_milliseconds
from turnfold_worker.adapters.sql_errors import transaction

DAY_MILLISECONDS: Final = 86_400_000

_conversation = table(ConversationRow)
_node = table(NodeRow)
_turn = table(TurnRow)


class SqlRetention:
    """Implements `expire.Retention` for SQLite and PostgreSQL."""

    def __init__(self, engine: Engine, *, read_engine: Engine) -> None:
        self._engine = engine
        self._read_engine = read_engine

    def expirable(self, keep_days: float, *, after: ConversationId, most: int) -> list[tuple[ConversationId, int]]:
        with transaction(self._read_engine) as connection:
            now = connection.scalar(select(now_milliseconds())) or 0
            # Segments in order: the first that is too young ends what may go.
            young = (
                select(func.min(_node.c.first_seq))
                .where(
                    _node.c.conversation == _conversation.c.id, _node.c.height == 0,
                    _node.c.first_seq > _conversation.c.expired_seq,
                    _node.c.closed_at > now - int(keep_days * DAY_MILLISECONDS),
                )
                .scalar_subquery()
            )  # fmt: skip
            last = func.coalesce(young - 1, _conversation.c.closed_seq).label("last_seq")
            rows = connection.execute(
                select(_conversation.c.id, last)
                .where(_conversation.c.id > after, last > _conversation.c.expired_seq)
                .order_by(_conversation.c.id)
                .limit(most)
            )
            return [(ConversationId(row.id), row.last_seq) for row in rows]

    def expire(self, conversation: ConversationId, last_seq: int) -> int:
        with transaction(self._engine) as connection:
            moved = update(_conversation).where(
                _conversation.c.id == conversation, _conversation.c.closed_seq >= last_seq
            ).values(
                expired_seq=last_seq, revision=_conversation.c.revision + 1,
                # Who folds a segment again has read words that go now.
                edit_revision=_conversation.c.edit_revision + 1, updated_at=func.current_timestamp(),
            )  # fmt: skip
            if not connection.execute(moved).rowcount:
                return 0
            removed = connection.execute(
                update(_turn)
                .where(
                    _turn.c.conversation == conversation, _turn.c.seq <= last_seq,
                    _turn.c.state == int(TurnState.STORED),
                )
                .values(content="", parts=None, metadata=None, state=int(TurnState.EXPIRED))
            )  # fmt: skip
            return int(removed.rowcount)
