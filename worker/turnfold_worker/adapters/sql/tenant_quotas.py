"""Quotas of tenants in SQL, and the stored bytes of a tenant."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, LargeBinary, Text, cast, delete, func, select, text

from turnfold.contract.tables import (
    HIDDEN_PREFIX,
    TENANT_USAGE,
    ConversationRow,
    StoredSizeRow,
    TenantQuotaRow,
    TurnRow,
    standing,
    table,
)
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.use_cases.tenant_quotas import TenantQuota

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_size = table(StoredSizeRow)
_quota = table(TenantQuotaRow)

CONVERSATIONS_AT_ONCE: Final = 200

# A loose index scan from tenant to tenant: DISTINCT would read every conversation.
_TENANTS: Final = """
    WITH RECURSIVE storing(tenant) AS (
      SELECT (SELECT MIN(tenant) FROM conversation WHERE {counted})
      UNION ALL
      SELECT (SELECT MIN(tenant) FROM conversation WHERE tenant > storing.tenant AND {counted}) FROM storing
      WHERE storing.tenant IS NOT NULL
    )
    SELECT tenant FROM storing WHERE tenant IS NOT NULL
    """
TENANTS: Final = text(_TENANTS.format(counted="1 = 1"))
STANDING_TENANTS: Final = text(_TENANTS.format(counted=f"external_id NOT LIKE '{HIDDEN_PREFIX}%'"))


class SqlTenantQuotas:
    """Quotas in SQLite and PostgreSQL. Every method is one transaction or several."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[TenantQuota]:
        """Return all quotas, by tenant."""
        with transaction(self._engine) as connection:
            rows = connection.execute(select(_quota).order_by(_quota.c.tenant))
            return [TenantQuota(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's name for a public thing

    def of(self, tenant: str) -> TenantQuota:
        """Return a tenant's quota; an empty one where it has none."""
        with transaction(self._engine) as connection:
            row = connection.execute(select(_quota).where(_quota.c.tenant == tenant)).first()
        return TenantQuota(tenant=tenant) if row is None else TenantQuota(**row._mapping)  # noqa: SLF001

    def put(self, quota: TenantQuota) -> None:
        """Set a tenant's quota, replacing an earlier one."""
        values = asdict(quota)
        with transaction(self._engine) as connection:
            insert = insert_new(connection, _quota).values(values)
            connection.execute(insert.on_conflict_do_update(index_elements=["tenant"], set_=values))

    def clear(self, tenant: str) -> bool:
        """Delete a tenant's quota, so that the settings apply; False where it has none."""
        with transaction(self._engine) as connection:
            return bool(connection.execute(delete(_quota).where(_quota.c.tenant == tenant)).rowcount)

    def model_tokens_today(self, tenant: str) -> int:
        """Return the tenant's input and output tokens of models today (UTC)."""
        spent = func.sum(TENANT_USAGE.c.input_tokens + TENANT_USAGE.c.output_tokens)
        mine = (TENANT_USAGE.c.tenant == tenant, TENANT_USAGE.c.day == datetime.now(UTC).date())
        with transaction(self._engine) as connection:
            return int(connection.scalar(select(spent).where(*mine)) or 0)

    def tenants(self, *, standing_only: bool = False) -> list[str]:
        """Return all tenants with a conversation, or with one that is not forgotten."""
        with transaction(self._engine) as connection:
            return list(connection.scalars(STANDING_TENANTS if standing_only else TENANTS))

    def measure(self, tenant: str) -> int:
        """Return the bytes of a tenant's turns; reads only conversations that changed since the last measurement."""
        after = 0
        while True:
            with transaction(self._engine) as connection:
                changed = _changed(connection, tenant, after)
                if changed:
                    _measure(connection, changed)
            if len(changed) < CONVERSATIONS_AT_ONCE:
                break
            after = changed[-1]
        with transaction(self._engine) as connection:
            total = select(func.sum(_size.c.size)).join(_conversation, _conversation.c.id == _size.c.conversation)
            return int(connection.scalar(total.where(_conversation.c.tenant == tenant, standing())) or 0)


def _changed(connection: Connection, tenant: str, after: int) -> list[int]:
    """Return conversations without a current measurement; those being written are left to the next time."""
    measured = select(_size.c.revision).where(_size.c.conversation == _conversation.c.id).scalar_subquery()
    rows = connection.scalars(
        select(_conversation.c.id)
        .where(
            _conversation.c.tenant == tenant, _conversation.c.id > after, standing(),
            func.coalesce(measured, -1) != _conversation.c.revision,
        )
        .order_by(_conversation.c.id)
        .limit(CONVERSATIONS_AT_ONCE)
        # Locks the row while its size is written, without waiting for others.
        .with_for_update(read=True, key_share=True, skip_locked=True)
    )  # fmt: skip
    return list(rows)


def _measure(connection: Connection, conversations: list[int]) -> None:
    sizes = (_bytes(connection, column) for column in (_turn.c.content, _turn.c.parts, _turn.c.metadata))
    size = select(func.coalesce(func.sum(sum(sizes, start=_bytes(connection, _turn.c.turn_id))), 0)).where(
        _turn.c.conversation == _conversation.c.id
    )
    source = (
        select(_conversation.c.id, _conversation.c.revision, size.scalar_subquery())
        .where(_conversation.c.id.in_(conversations))
        .order_by(_conversation.c.id)
    )
    insert = insert_new(connection, _size).from_select(["conversation", "revision", "size"], source)
    connection.execute(
        insert.on_conflict_do_update(
            index_elements=["conversation"], set_={"revision": insert.excluded.revision, "size": insert.excluded.size}
        )
    )


def _bytes(connection: Connection, column: ColumnElement[Any]) -> ColumnElement[int]:
    """Length of a text in UTF-8 bytes; PostgreSQL knows it without reading the text."""
    if connection.dialect.name == "sqlite":
        length = func.length(cast(column, LargeBinary))
    else:
        length = func.octet_length(cast(column, Text))
    return func.coalesce(length, 0)
