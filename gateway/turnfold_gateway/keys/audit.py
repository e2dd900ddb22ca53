"""The audit log: every call that needed the scope `admin`, whoever made it and whatever its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from turnfold.contract.tables import AuditEntryRow, table
from turnfold.database.failures import translated

if TYPE_CHECKING:
    from turnfold_gateway.keys.store import KeyStore


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A row of `audit_entry`."""

    at: datetime
    tenant: str
    key_id: str
    action: str
    conversation_hash: str | None
    status: int


def conversation_hash(tenant: str, conversation: str) -> str:
    """Return the hash under which a conversation is logged: its id leads to its entries, but not the other way."""
    return sha256(f"{tenant}\0{conversation}".encode("utf-8", "surrogatepass")).hexdigest()


class AuditLog:
    """Reads and writes the audit log. Blocking: call it in a thread."""

    def __init__(self, store: KeyStore) -> None:
        self._store = store

    def note(self, tenant: str, key_id: str, action: str, conversation: str | None, *, status: int) -> None:
        """Write an entry. Raises `Unavailable`."""
        named = None if conversation is None else conversation_hash(tenant, conversation)
        row = {"tenant": tenant, "key_id": key_id, "action": action, "conversation_hash": named, "status": status}
        with translated(), self._store.engine.begin() as connection:
            connection.execute(table(AuditEntryRow).insert(), row)

    def entries(self, tenant: str, *, limit: int, conversation: str | None = None) -> list[AuditEntry]:
        """Return a tenant's entries, newest first, optionally of one conversation. Raises `Unavailable`."""
        rows = table(AuditEntryRow)
        columns = (rows.c.at, rows.c.tenant, rows.c.key_id, rows.c.action, rows.c.conversation_hash, rows.c.status)
        statement = rows.select().with_only_columns(*columns).where(rows.c.tenant == tenant)
        if conversation is not None:
            statement = statement.where(rows.c.conversation_hash == conversation_hash(tenant, conversation))
        with translated(), self._store.reading.begin() as connection:
            newest = connection.execute(statement.order_by(rows.c.id.desc()).limit(limit)).mappings()
            return [AuditEntry(**row) for row in newest]
