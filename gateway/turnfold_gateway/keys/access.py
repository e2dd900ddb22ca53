"""`authenticate`: what every handler that reads or writes calls first."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from turnfold import AsyncTurnfold
from turnfold_gateway.keys.ring import Caller, KeyRing, unauthorized
from turnfold_gateway.keys.secrets import Scope


async def authenticate(request: HTTPConnection, scope: Scope) -> Caller:
    """The caller of a request, whose key has the scope. Raises `Problem` (401, 403), `Unavailable`."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise unauthorized(detail="the request has no key in its Authorization header")
    ring: KeyRing = request.app.state.keys
    return await ring.caller(token.strip(), scope)


async def client_of(request: HTTPConnection, scope: Scope) -> AsyncTurnfold:
    """The SDK's client for the tenant of the caller. Raises as `authenticate`."""
    caller = await authenticate(request, scope)
    turnfold: AsyncTurnfold = request.app.state.turnfold
    return turnfold.for_tenant(caller.tenant)
