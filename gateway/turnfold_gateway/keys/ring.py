"""Keys of callers, cached for `TURNFOLD_GATEWAY_KEY_CACHE_SECONDS`: a revoked key may work for that long."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from functools import partial
from hmac import compare_digest
from typing import Final

from turnfold import TurnfoldError, Unavailable
from turnfold.contract.bounded_memo import NewestEntries
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys.cell_keys import CellKeys
from turnfold_gateway.keys.secrets import Scope, Token, parse_token
from turnfold_gateway.keys.store import StoredKey
from turnfold_gateway.problems import Problem
from turnfold_gateway.settings import GatewaySettings

CACHED_KEYS: Final = 4_096
"""Valid keys that are cached, and as many invalid tokens."""

_log = logging.getLogger(__name__)

_NO_HASH: Final = bytes(32)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that a key identifies."""

    tenant: str
    scopes: frozenset[Scope]
    key_id: str
    requests_per_minute: int | None = field(default=None, compare=False)


def unauthorized(*, detail: str) -> Problem:
    return Problem(
        401, "unauthorized", "No valid key", detail=detail,
        remedy="send `Authorization: Bearer KEY` with a key from `turnfold keys create`",
        headers={"WWW-Authenticate": 'Bearer realm="turnfold"'},
    )  # fmt: skip


class Forbidden(Problem):
    """A valid key lacks a scope."""

    def __init__(self, scope: Scope, caller: Caller) -> None:
        super().__init__(
            403, "missing-scope", "The key lacks a scope",
            detail=f"this needs the scope {scope}; the key has {', '.join(sorted(caller.scopes))}",
            remedy=f"use a key created with --scope {scope}",
        )  # fmt: skip
        self.caller = caller


class KeyRing:
    """Finds the caller that owns a key; one instance per application."""

    def __init__(self, settings: GatewaySettings, cells: ServedCells) -> None:
        self._cells = cells
        self.by_cell = {name: CellKeys(cell.settings) for name, cell in cells.by_name.items()}
        self._kept_seconds = settings.key_cache_seconds
        self._cached: NewestEntries[str, tuple[float, StoredKey]] = NewestEntries(CACHED_KEYS)
        """Valid keys by id, each with the time until which it needs no lookup."""
        self._refused: NewestEntries[bytes, float] = NewestEntries(CACHED_KEYS)
        """Invalid tokens, each with the time until which it needs no lookup."""

    async def caller(self, token_text: str, scope: Scope, *others: Scope) -> Caller:
        """Return the caller that owns a key.

        Raises `Problem` (401) for an unknown or revoked key, `Forbidden` for one that lacks a scope, `Unavailable`
        when the database does not answer.
        """
        token = parse_token(token_text)
        if token is None:
            raise unauthorized(detail="the key is malformed: keys look like tfk_…")
        key = await self._key(token)
        if key is None:
            raise unauthorized(detail="the key is unknown or was revoked")
        caller = Caller(key.tenant, key.scopes, key.id, key.requests_per_minute)
        for needed in (scope, *others):
            if needed not in key.scopes and "admin" not in key.scopes:
                raise Forbidden(needed, caller)
        return caller

    async def note(self, caller: Caller, action: str, conversation: str | None, status: int) -> None:
        """Write to the audit log. A second failure is only logged, since the call has already been made."""
        keys = self._own_keys(caller.tenant)
        note = partial(keys.note, caller.tenant, caller.key_id, action, conversation, status=status)
        try:
            try:
                await note()
            except Unavailable:
                # A connection of the pool was broken, or the database restarts: the next connection may be good.
                await note()
        except Unavailable as error:
            _log.error("key %s: %s (%d) is not in the audit log: %s", caller.key_id, action, status, error)

    async def close(self) -> None:
        await asyncio.gather(*(keys.close() for keys in self.by_cell.values()))

    async def _key(self, token: Token) -> StoredKey | None:
        """Return the valid key of a token; None for an invalid token.

        A token that was not valid before is looked up whether its id exists or not, so that timing does not reveal
        which ids exist.
        """
        now = time.monotonic()
        until, cached = self._cached.get(token.key_id, (0.0, None))
        is_known = compare_digest(token.secret_hash, cached.secret_hash if cached else _NO_HASH)
        if is_known and now < until:
            return cached
        if not is_known and now < self._refused.get(token.digest, 0.0):
            return None
        if is_known and cached is not None:
            key = await self._own_keys(cached.tenant).find(token.key_id, opened_before=True)
            matches = compare_digest(token.secret_hash, key.secret_hash if key else _NO_HASH)
        else:
            key = await self._found(token)
            matches = key is not None
        # Counted from before the lookup, since the key may have been revoked during it.
        kept_until = now + self._kept_seconds
        if key is None or not matches or key.revoked_at is not None:
            if is_known:
                self._cached.pop(token.key_id, None)
            self._refused[token.digest] = kept_until
            return None
        self._cached[token.key_id] = kept_until, key
        return key

    def _own_keys(self, tenant: str) -> CellKeys:
        return self.by_cell[self._cells.of(tenant).name]

    async def _found(self, token: Token) -> StoredKey | None:
        """Look up a token that was not valid before, in all cells at once.

        Raises a lookup's error when no cell has the key and one of them failed. A wrong secret waits for all cells,
        just as an unknown id does.
        """
        if len(self.by_cell) == 1:
            (only,) = self.by_cell
            return await self._in_cell(only, token)
        looks = [asyncio.create_task(self._in_cell(name, token)) for name in self.by_cell]
        failure: Exception | None = None
        try:
            for look in asyncio.as_completed(looks):
                try:
                    key = await look
                except (TurnfoldError, Problem) as error:
                    failure = error
                    continue
                if key is not None:
                    return key
        finally:
            for look_up in looks:
                look_up.cancel()
            await asyncio.gather(*looks, return_exceptions=True)
        if failure is not None:
            raise failure
        return None

    async def _in_cell(self, name: str, token: Token) -> StoredKey | None:
        """Return a token's key from the cell of its tenant, so that the operator of one cell cannot open another."""
        key = await self.by_cell[name].find(token.key_id, opened_before=False)
        if not compare_digest(token.secret_hash, key.secret_hash if key else _NO_HASH):
            return None
        if key is not None and self._cells.of(key.tenant).name != name:
            _log.warning(
                "key %s is in cell %r, which is not its tenant's: it is ignored; create one with "
                "`turnfold --tenant TENANT keys create`", key.id, name,
            )  # fmt: skip
            return None
        return key
