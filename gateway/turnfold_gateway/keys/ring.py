"""Keys of callers. A lookup is kept for `TURNFOLD_GATEWAY_KEY_CACHE_SECONDS`: so long may a revoked key still open."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hmac import compare_digest
from typing import Final

from turnfold import Unavailable
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.secrets import Scope, parse_token
from turnfold_gateway.keys.store import KeyStore, StoredKey
from turnfold_gateway.problems import Problem
from turnfold_gateway.settings import GatewaySettings

CACHED_KEYS: Final = 4_096
LOOKUP_THREADS: Final = 4
"""Lookups in SQL at once: a flood of made-up keys takes no more of the database than this."""

_log = logging.getLogger(__name__)

_NO_HASH: Final = bytes(32)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, as far as the key says."""

    tenant: str
    scopes: frozenset[Scope]
    key_id: str
    requests_per_minute: int | None = field(default=None, compare=False)


def unauthorized(*, detail: str) -> Problem:
    return Problem(
        401, "unauthorized", "No valid key", detail=detail,
        remedy="send `Authorization: Bearer KEY` with a key of `turnfold keys create`",
        headers={"WWW-Authenticate": 'Bearer realm="turnfold"'},
    )  # fmt: skip


def forbidden(scope: Scope, caller: Caller) -> Problem:
    return Problem(
        403, "missing-scope", "The key may not do this",
        detail=f"this needs the scope {scope}; the key has {', '.join(sorted(caller.scopes))}",
        remedy=f"use a key that was made with --scope {scope}",
    )  # fmt: skip


class KeyRing:
    """Who a key belongs to. One for an application."""

    def __init__(self, settings: GatewaySettings) -> None:
        self.store = KeyStore(settings.turnfold)
        self._audit = AuditLog(self.store)
        self._kept_seconds = settings.key_cache_seconds
        self._cached: OrderedDict[str, tuple[float, StoredKey]] = OrderedDict()
        self._threads = ThreadPoolExecutor(LOOKUP_THREADS, "turnfold-keys")

    async def caller(self, token_text: str, scope: Scope, *others: Scope) -> Caller:
        """The caller whose key this is.

        Raises `Problem`: 401 for a key that is not ours or was revoked, 403 for one without one of the scopes. Raises
        `Unavailable` when the database does not answer.
        """
        token = parse_token(token_text)
        if token is None:
            raise unauthorized(detail="the key does not have the form of one: tfk_…")
        key = await self._key(token.key_id)
        # Also without such a key: how long an answer takes tells nothing about which ids exist.
        matches = compare_digest(token.secret_hash, key.secret_hash if key else _NO_HASH)
        if key is None or not matches or key.revoked_at is not None:
            raise unauthorized(detail="the key is unknown or was revoked")
        caller = Caller(key.tenant, key.scopes, key.id, key.requests_per_minute)
        for needed in (scope, *others):
            if needed not in key.scopes and "admin" not in key.scopes:
                raise forbidden(needed, caller)
        return caller

    async def note(self, caller: Caller, action: str, conversation: str | None, status: int) -> None:
        """Write into the audit log. One that cannot be written is in the gateway's log: the call was answered."""
        note = partial(self._audit.note, caller.tenant, caller.key_id, action, conversation, status=status)
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, note)
        except Unavailable as error:
            _log.error("key %s: %s (%d) is not in the audit log: %s", caller.key_id, action, status, error)

    async def close(self) -> None:
        self._threads.shutdown(wait=False)
        await asyncio.to_thread(self.store.close)

    async def _key(self, key_id: str) -> StoredKey | None:
        now = time.monotonic()
        cached = self._cached.get(key_id)
        if cached is not None and now < cached[0]:
            return cached[1]
        key = await asyncio.get_running_loop().run_in_executor(self._threads, self.store.find, key_id)
        if key is None:
            self._cached.pop(key_id, None)
            return None
        # Counted from before the lookup: what it read may have been revoked meanwhile.
        self._cached[key_id] = (now + self._kept_seconds, key)
        if len(self._cached) > CACHED_KEYS:
            self._cached.popitem(last=False)
        return key
