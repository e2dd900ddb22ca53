"""Removing the words of old turns in SQL. Anchors, notes, levels and sizes stay: only Level 0 goes."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Double, Engine, case, cast, func, literal, select, update

from turnfold.contract.records import OPERATORS, ConversationId, TurnState
from turnfold.contract.tables import ConversationRow, NodeRow, ParkedEntryRow, TenantQuotaRow, TurnRow, table
from turnfold.contract.tasks import EntryState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.errors import transaction

DAY_MILLISECONDS: Final = 86_400_000

_conversation = table(ConversationRow)
_node = table(NodeRow)
_turn = table(TurnRow)
_entry = table(ParkedEntryRow)
_quota = table(TenantQuotaRow)


class SqlRetention:
    """Implements `expire.Retention` for SQLite and PostgreSQL."""

    def __init__(self, engine: Engine, *, read_engine: Engine) -> None:
        self._engine = engine
        self._read_engine = read_engine

    def bounds_any(self) -> bool:
        with transaction(self._read_engine) as connection:
            own = select(_quota.c.tenant).where(_quota.c.retention_days > 0).limit(1)
            return connection.scalar(own) is not None

    def expirable(self, keep_days: float, *, after: ConversationId, most: int) -> list[ConversationId]:
        with transaction(self._read_engine) as connection:
            rows = connection.scalars(
                select(_conversation.c.id)
                .where(
                    _conversation.c.id > after,
                    _kept(keep_days) > 0,
                    _last_old(connection, keep_days) > _conversation.c.expired_seq,
                )
                .order_by(_conversation.c.id)
                .limit(most)
            )
            return [ConversationId(id_) for id_ in rows]

    def expire(self, conversation: ConversationId, keep_days: float) -> int:
        with transaction(self._engine) as connection:
            mine = _conversation.c.id == conversation
            # Looked at again under the row's lock: another worker may have removed more meanwhile, or a rewind have
            # opened segments.
            connection.execute(select(_conversation.c.id).where(mine).with_for_update())
            last = _last_old(connection, keep_days)
            last_seq = connection.scalar(
                select(last).where(mine, _kept(keep_days) > 0, last > _conversation.c.expired_seq)
            )
            if last_seq is None:
                return 0
            connection.execute(
                update(_conversation)
                .where(mine)
                .values(
                    expired_seq=last_seq, revision=_conversation.c.revision + 1,
                    # Who folds a segment again has read words that go now.
                    edit_revision=_conversation.c.edit_revision + 1, updated_at=func.current_timestamp(),
                )
            )  # fmt: skip
            _empty_entries(connection, conversation, last_seq)
            return _empty_turns(connection, conversation, last_seq)


def _kept(keep_days: float) -> ColumnElement[Any]:
    """For how many days a conversation's words are kept: its tenant's own number, else `keep_days`; 0: for ever."""
    own = select(_quota.c.retention_days).where(_quota.c.tenant == _conversation.c.tenant)
    return func.coalesce(
        cast(own.correlate(_conversation).scalar_subquery(), Double), literal(float(keep_days), Double)
    )


def _last_old(connection: Connection, keep_days: float) -> ColumnElement[Any]:
    """Of a conversation, the last turn of the segments that were closed longer ago than words are kept."""
    now = connection.scalar(select(now_milliseconds())) or 0
    # Segments in order: the first that is too young ends what may go.
    young = (
        select(func.min(_node.c.first_seq))
        .where(
            _node.c.conversation == _conversation.c.id, _node.c.height == 0,
            _node.c.first_seq > _conversation.c.expired_seq,
            _node.c.closed_at > now - _kept(keep_days) * DAY_MILLISECONDS,
        )
        .scalar_subquery()
    )  # fmt: skip
    return func.coalesce(young - 1, _conversation.c.closed_seq)


def _empty_turns(connection: Connection, conversation: ConversationId, last_seq: int) -> int:
    stored = (
        _turn.c.conversation == conversation, _turn.c.seq <= last_seq, _turn.c.state == int(TurnState.STORED),
        # An operator's word holds, however old it is.
        _turn.c.role.not_in([str(role) for role in OPERATORS]),
    )  # fmt: skip
    removed = connection.execute(
        update(_turn).where(*stored).values(content="", parts=None, metadata=None, state=int(TurnState.EXPIRED))
    )
    return int(removed.rowcount)


def _empty_entries(connection: Connection, conversation: ConversationId, last_seq: int) -> None:
    """What was sent of turns that could not be read: after the words around it there is no place left for it."""
    connection.execute(
        update(_entry)
        .where(_entry.c.conversation == conversation, _entry.c.seq <= last_seq)
        .values(
            payload=b"", error="retention removed what was sent",
            state=case((_entry.c.state == str(EntryState.PARKED), str(EntryState.SKIPPED)), else_=_entry.c.state),
        )
    )  # fmt: skip
