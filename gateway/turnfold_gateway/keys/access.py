"""`authenticate` a request before reading or writing; `caller_with` does so for a key from another place."""

from __future__ import annotations

import logging
import math

from starlette.requests import HTTPConnection

from turnfold import Unavailable
from turnfold.contract.keys import gateway_rate
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys.ring import Caller, Forbidden, KeyRing, unauthorized
from turnfold_gateway.keys.secrets import Scope
from turnfold_gateway.problems import Problem
from turnfold_gateway.redis_client import RedisClient

_log = logging.getLogger(__name__)


async def authenticate(request: HTTPConnection, scope: Scope) -> Caller:
    """Return the caller of a request whose key has the scope, and count the request.

    Raises `Problem`: 401, 403, 429 with `Retry-After`. Raises `Unavailable`.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise unauthorized(detail="the request has no key in its Authorization header")
    return await caller_with(request, token.strip(), scope)


async def caller_with(request: HTTPConnection, token: str, scope: Scope, *others: Scope) -> Caller:
    """Return the caller that owns a key with all of the scopes, and count the request.

    Raises like `authenticate`.
    """
    state = request.app.state
    ring: KeyRing = state.keys
    refused: Forbidden | None = None
    try:
        caller = await ring.caller(token, scope, *others)
    except Forbidden as error:
        refused, caller = error, error.caller
    cells: ServedCells = state.cells
    await _take_request(caller, cells.of(caller.tenant).redis, default_a_minute=state.settings.requests_per_minute)
    if refused is not None:
        raise refused
    return caller


async def _take_request(caller: Caller, client: RedisClient, *, default_a_minute: int) -> None:
    """Count a request. Raises `Problem` (429) above the limit. Without Redis, requests are not counted."""
    a_minute = default_a_minute if caller.requests_per_minute is None else caller.requests_per_minute
    if not a_minute:
        return
    try:
        wait = await client.take(gateway_rate(caller.key_id), a_minute)
    except Unavailable:
        _log.warning("requests of key %s are not counted: Redis does not answer", caller.key_id)
        return
    if wait > 0:
        seconds = math.ceil(wait)
        raise Problem(
            429, "too-many-requests", "Too many requests with this key",
            detail=f"the key may make {a_minute} requests per minute",
            remedy="repeat the request after Retry-After seconds, or ask for a key with a higher limit",
            headers={"Retry-After": str(seconds)}, retry_after_seconds=seconds,
        )  # fmt: skip
