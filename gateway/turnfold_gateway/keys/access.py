"""`authenticate`: what every handler that reads or writes calls first."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from turnfold import AsyncTurnfold
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
    state = request.app.state
    ring: KeyRing = state.keys
    caller = await ring.caller(token.strip(), scope)
    await take_request(caller, state.redis, default_a_minute=state.settings.requests_per_minute)
    return caller


async def client_of(request: HTTPConnection, scope: Scope) -> AsyncTurnfold:
    """The SDK's client for the tenant of the caller. Raises as `authenticate`."""
    caller = await authenticate(request, scope)
    turnfold: AsyncTurnfold = request.app.state.turnfold
    return turnfold.for_tenant(caller.tenant)
