"""`authenticate`: what every handler that reads or writes calls first; `caller_with` where the key stands elsewhere."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys.limits import take_request
from turnfold_gateway.keys.ring import Caller, KeyRing, unauthorized
from turnfold_gateway.keys.secrets import Scope


async def authenticate(request: HTTPConnection, scope: Scope) -> Caller:
    """The caller of a request, whose key has the scope; the request is counted.

    Raises `Problem`: 401, 403, 429 with `Retry-After`. Raises `Unavailable`.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise unauthorized(detail="the request has no key in its Authorization header")
    return await caller_with(request, token.strip(), scope)


async def caller_with(request: HTTPConnection, token: str, scope: Scope, *others: Scope) -> Caller:
    """The caller whose key this is, wherever a request has it, with all of the scopes; the request is counted.

    Raises as `authenticate`.
    """
    state = request.app.state
    ring: KeyRing = state.keys
    caller = await ring.caller(token, scope, *others)
    cells: ServedCells = state.cells
    await take_request(caller, cells.of(caller.tenant).redis, default_a_minute=state.settings.requests_per_minute)
    return caller
