"""The keys of one cell, with threads of its own: a database that is away keeps no other cell's callers waiting."""

from __future__ import annotations

import asyncio
from functools import partial

from turnfold import Settings
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.lookups import Lookups
from turnfold_gateway.keys.store import KeyStore, StoredKey


class CellKeys:
    """Raises `Unavailable`, and `Problem` (429) where too many unknown keys wait."""

    def __init__(self, settings: Settings) -> None:
        self.store = KeyStore(settings)
        self._audit = AuditLog(self.store)
        self._lookups = Lookups()

    async def find(self, key_id: str, *, opened_before: bool) -> StoredKey | None:
        """The key of an id, revoked ones too."""
        look_up = self._lookups.for_known if opened_before else self._lookups.for_unknown
        return await look_up(partial(self.store.find, key_id))

    async def note(self, tenant: str, key_id: str, action: str, conversation: str | None, *, status: int) -> None:
        """Write into the audit log."""
        await self._lookups.for_known(partial(self._audit.note, tenant, key_id, action, conversation, status=status))

    async def close(self) -> None:
        self._lookups.close()
        await asyncio.to_thread(self.store.close)
