"""Remove the text of old turns in SQL, with rows that serve it alone. Anchors, notes, levels and sizes stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Double, Engine, Table, cast, func, literal, or_, select, text, update

from turnfold.contract.records import OPERATORS, ConversationId, TurnState
from turnfold.contract.tables import ConversationRow, NodeRow, ParkedEntryRow, TenantQuotaRow, TurnRow, table
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql import expiry_events as sql_expiry_events
from turnfold_worker.adapters.sql import spent_rows as sql_spent_rows
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.parked import empty_entries

DAY_MILLISECONDS: Final = 86_400_000

TENANTS_AT_ONCE: Final = 2_000
"""Tenants that one statement covers."""

TURNS_AT_ONCE: Final = 20_000
"""Turns whose text one transaction removes; the last segment may exceed it."""

_NOW: Final = select(now_milliseconds())
# A loose index scan from tenant to tenant, independent of the number of conversations of each.
TENANTS_WITH_WORDS: Final = text(
    """
    WITH RECURSIVE keeping(step, tenant) AS (
      SELECT 1, (SELECT MIN(tenant) FROM conversation WHERE words_since IS NOT NULL AND tenant > :after)
      UNION ALL
      SELECT step + 1,
             (SELECT MIN(tenant) FROM conversation WHERE words_since IS NOT NULL AND tenant > keeping.tenant)
      FROM keeping WHERE keeping.tenant IS NOT NULL AND step < :most
    )
    SELECT keeping.tenant AS tenant,
           (SELECT MIN(words_since) FROM conversation
            WHERE words_since IS NOT NULL AND tenant = keeping.tenant) AS oldest,
           tenant_quota.retention_days AS own_days
    FROM keeping LEFT JOIN tenant_quota ON tenant_quota.tenant = keeping.tenant
    WHERE keeping.tenant IS NOT NULL ORDER BY step
    """
)
OLDEST_WORDS: Final = text(
    "SELECT id, closed_seq - expired_seq AS turns FROM conversation "
    "WHERE words_since IS NOT NULL AND tenant = :tenant AND words_since <= :until "
    "ORDER BY words_since LIMIT :most"
)

_conversation = table(ConversationRow)
_node = table(NodeRow)
_turn = table(TurnRow)
_entry = table(ParkedEntryRow)
_quota = table(TenantQuotaRow)


class SqlRetention:
    """Retention in SQLite and PostgreSQL. Every method is one transaction, by the database's clock.

    A tenant's own retention overrides `keep_days`; 0 keeps text for ever.
    """

    def __init__(self, engine: Engine, *, read_engine: Engine) -> None:
        self._engine = engine
        self._read_engine = read_engine

    def bounds_any(self) -> bool:
        """Whether any tenant has its own retention period."""
        with transaction(self._read_engine) as connection:
            own = select(_quota.c.tenant).where(_quota.c.retention_days > 0).limit(1)
            return connection.scalar(own) is not None

    def next_tenants(self, keep_days: float, *, after: str) -> tuple[dict[str, int], str | None]:
        """Return tenants after `after` that have expired text, and the tenant reached; None when there are no more.

        Each has the latest time, in milliseconds, at which a segment was closed whose text has to go.
        """
        with transaction(self._read_engine) as connection:
            now = connection.scalar(_NOW) or 0
            rows = connection.execute(TENANTS_WITH_WORDS, {"after": after, "most": TENANTS_AT_ONCE}).all()
        days_of = {row.tenant: keep_days if row.own_days is None else float(row.own_days) for row in rows}
        until = {tenant: now - int(days * DAY_MILLISECONDS) for tenant, days in days_of.items() if days}
        due = {row.tenant: until[row.tenant] for row in rows if row.oldest <= until.get(row.tenant, -1)}
        return due, rows[-1].tenant if len(rows) == TENANTS_AT_ONCE else None

    def expirable(self, tenant: str, until: int, *, most: int) -> list[ConversationId]:
        """Return a tenant's conversations with text in segments closed by `until`, the oldest first."""
        with transaction(self._read_engine) as connection:
            rows = connection.execute(OLDEST_WORDS, {"tenant": tenant, "until": until, "most": most}).all()
        turns = accumulate(min(row.turns, TURNS_AT_ONCE) for row in rows)
        return [
            ConversationId(row.id)
            for row, sum_ in zip(rows, turns, strict=True)
            if sum_ <= TURNS_AT_ONCE or row is rows[0]
        ]

    def expire(self, conversations: Sequence[ConversationId], keep_days: float) -> int:
        """Remove the text of turns in old enough segments of some conversations; return the number of turns."""
        with transaction(self._engine) as connection:
            mine = _conversation.c.id.in_(conversations)
            # Checked again under the rows' locks, taken in id order: another worker may have removed more meanwhile, or
            # a rewind may have reopened segments.
            connection.execute(select(_conversation.c.id).where(mine).order_by(_conversation.c.id).with_for_update())
            last = _last_old(connection, keep_days)
            last_expired = connection.execute(
                update(_conversation)
                .where(mine, _kept(keep_days) > 0, last > _conversation.c.expired_seq)
                .values(
                    expired_seq=last, revision=_conversation.c.revision + 1,
                    # A running refold has read text that is removed now: it starts over.
                    edit_revision=_conversation.c.edit_revision + 1, updated_at=func.current_timestamp(),
                )
                .returning(_conversation.c.id, _conversation.c.expired_seq)
            ).all()  # fmt: skip
            expired = {row.id: row.expired_seq for row in last_expired}
            connection.execute(update(_conversation).where(mine).values(words_since=_words_since()))
            if not expired:
                return 0
            # Without the text around it, an unreadable entry can no longer be placed.
            empty_entries(
                connection, _entry.c.conversation.in_([*expired]), _entry.c.seq <= _expired_seq(_entry),
                why="retention removed what was sent",
            )  # fmt: skip
            emptied = _empty_turns(connection, [*expired])
            sql_spent_rows.drop(connection, [*expired])
            sql_expiry_events.tell(connection, expired)
            return emptied


def _words_since() -> ColumnElement[Any]:
    """Select when the first segment after the expired turns was closed; NULL without one."""
    return (
        select(_node.c.closed_at)
        .where(
            _node.c.conversation == _conversation.c.id, _node.c.height == 0,
            _node.c.first_seq > _conversation.c.expired_seq, _node.c.first_seq <= _conversation.c.closed_seq,
        )
        .order_by(_node.c.first_seq)
        .limit(1)
        .scalar_subquery()
    )  # fmt: skip


def _kept(keep_days: float) -> ColumnElement[Any]:
    """Select how many days a conversation keeps text: its tenant's own number, else `keep_days`; 0: for ever."""
    own = select(_quota.c.retention_days).where(_quota.c.tenant == _conversation.c.tenant)
    return func.coalesce(
        cast(own.correlate(_conversation).scalar_subquery(), Double), literal(float(keep_days), Double)
    )


def _last_old(connection: Connection, keep_days: float) -> ColumnElement[Any]:
    """Select the last turn of a conversation's segments that were closed longer ago than text is kept."""
    now = connection.scalar(select(now_milliseconds())) or 0
    # Segments are in order: the first that is too young ends the range.
    young = (
        select(func.min(_node.c.first_seq))
        .where(
            _node.c.conversation == _conversation.c.id, _node.c.height == 0,
            _node.c.first_seq > _conversation.c.expired_seq,
            or_(
                _node.c.closed_at > now - _kept(keep_days) * DAY_MILLISECONDS,
                # The text of a very long conversation is removed in several transactions.
                _node.c.first_seq > _conversation.c.expired_seq + TURNS_AT_ONCE,
            ),
        )
        .scalar_subquery()
    )  # fmt: skip
    return func.coalesce(young - 1, _conversation.c.closed_seq)


def _expired_seq(rows: Table) -> ColumnElement[Any]:
    """Select the last expired turn of a row's conversation."""
    return select(_conversation.c.expired_seq).where(_conversation.c.id == rows.c.conversation).scalar_subquery()


def _empty_turns(connection: Connection, conversations: Sequence[int]) -> int:
    stored = (
        _turn.c.conversation.in_(conversations), _turn.c.seq <= _expired_seq(_turn),
        _turn.c.state == int(TurnState.STORED),
        # Operators' turns apply however old they are.
        _turn.c.role.not_in([str(role) for role in OPERATORS]),
    )  # fmt: skip
    removed = connection.execute(
        update(_turn).where(*stored).values(content="", parts=None, metadata=None, state=int(TurnState.EXPIRED))
    )
    return int(removed.rowcount)
