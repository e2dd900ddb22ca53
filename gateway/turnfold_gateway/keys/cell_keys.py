"""Look up the keys of one cell in its own threads, so that an unreachable database delays no other cell's callers.

Lookups of unknown keys have separate threads and a bounded queue, so that a flood of made-up keys does not delay known
ones.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from turnfold import Settings
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.store import KeyStore, StoredKey
from turnfold_gateway.problems import Problem

KNOWN_THREADS: Final = 4
"""Threads for keys that were valid before, and for the audit log."""
UNKNOWN_THREADS: Final = 2
"""Threads for keys that this process has not seen valid yet, whether they exist or not."""
MOST_UNKNOWN: Final = 512
"""Unknown keys whose lookups may be waiting at once."""


class CellKeys:
    """Looks up keys of a cell. Raises `Unavailable`, and `Problem` (429) when too many unknown keys are waiting."""

    def __init__(self, settings: Settings) -> None:
        self.store = KeyStore(settings)
        self._audit = AuditLog(self.store)
        self._known = ThreadPoolExecutor(KNOWN_THREADS, "turnfold-keys")
        self._unknown = ThreadPoolExecutor(UNKNOWN_THREADS, "turnfold-unknown-keys")
        self._waiting = 0

    async def find(self, key_id: str, *, opened_before: bool) -> StoredKey | None:
        """Return the key with an id, even if it is revoked."""
        loop = asyncio.get_running_loop()
        if opened_before:
            return await loop.run_in_executor(self._known, self.store.find, key_id)
        if self._waiting >= MOST_UNKNOWN:
            raise Problem(
                429, "too-many-unknown-keys", "Too many lookups of unknown keys",
                detail="many requests with unknown keys are waiting for a lookup",
                remedy="repeat the request after Retry-After seconds", headers={"Retry-After": "1"},
                retry_after_seconds=1,
            )  # fmt: skip
        self._waiting += 1
        try:
            return await loop.run_in_executor(self._unknown, self.store.find, key_id)
        finally:
            self._waiting -= 1

    async def note(self, tenant: str, key_id: str, action: str, conversation: str | None, *, status: int) -> None:
        """Write an entry to the audit log."""
        write = partial(self._audit.note, tenant, key_id, action, conversation, status=status)
        await asyncio.get_running_loop().run_in_executor(self._known, write)

    async def close(self) -> None:
        for threads in (self._known, self._unknown):
            threads.shutdown(wait=False)
        await asyncio.to_thread(self.store.close)
