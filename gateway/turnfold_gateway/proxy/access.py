"""Authenticate callers of the proxy: by a Turnfold key next to the provider's, or by a setting.

`Authorization` is the provider's and is forwarded; the Turnfold key is in `X-Turnfold-Key` and is never forwarded.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.requests import Request

from turnfold import Unavailable
from turnfold.contract.bounded_memo import NewestEntries
from turnfold_gateway.keys import caller_with
from turnfold_gateway.problems import Problem
from turnfold_gateway.proxy.headers import KEY
from turnfold_gateway.proxy.upstream import proxy_problem
from turnfold_gateway.settings import GatewaySettings

GRACE_SECONDS: Final = 900.0
"""How long a key that was valid may still use the proxy, without memory, while no database answers."""

_MOST_KNOWN: Final = 4_096
_NOT_GOOD: Final = frozenset({401, 403})
"""Statuses for a key that was revoked or lacks a scope."""
_OUR_KEY: Final = re.compile(r"tfk_[0-9a-f]{12}_")


@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller whose requests may be forwarded."""

    tenant: str
    has_memory: bool = True
    """False while the key cannot be looked up: a recently valid key may pass, but opens no conversation."""


class Admission:
    """Checks the keys of requests; one instance per application."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._tenant = settings.proxy_tenant
        self._known: NewestEntries[bytes, tuple[float, str]] = NewestEntries(_MOST_KNOWN)

    async def admit(self, request: Request) -> Admitted:
        """Return the caller of a request. Raises `Problem` (400, 401, 403, 429), or `Unavailable` for a new key."""
        _check_no_leak(request)
        token = request.headers.get(KEY, "").strip()
        if not token:
            if self._tenant:
                return Admitted(self._tenant)
            raise _unauthorized(
                detail="the request has no Turnfold key",
                remedy="send it as X-Turnfold-Key, next to the provider's key in Authorization; on a trusted "
                "network, the operator can set TURNFOLD_GATEWAY_PROXY_TENANT instead",
            )
        known = sha256(token.encode("utf-8", "surrogateescape")).digest()
        try:
            caller = await caller_with(request, token, "append", "read")
        except Unavailable:
            seen, tenant = self._known.get(known, (0.0, ""))
            if not tenant or time.monotonic() - seen > GRACE_SECONDS:
                raise
            return Admitted(tenant, has_memory=False)
        except Problem as problem:
            if problem.status in _NOT_GOOD:
                self._known.pop(known, None)
            if problem.status != 401:
                raise
            # Other routes take the key from Authorization, which here is the provider's.
            raise _unauthorized(
                detail=str(problem), remedy="send a key from `turnfold keys create` as X-Turnfold-Key"
            ) from problem
        self._known[known] = (time.monotonic(), caller.tenant)
        return Admitted(caller.tenant)


def _unauthorized(*, detail: str, remedy: str) -> Problem:
    return proxy_problem(401, "unauthorized", "No Turnfold key", detail=detail, remedy=remedy)


def _check_no_leak(request: Request) -> None:
    """Refuse a request with a Turnfold key in a place that would be forwarded."""
    forwarded = (value for name, value in request.headers.items() if name != KEY)
    if any(_OUR_KEY.search(value) for value in (*forwarded, request.url.query)):
        raise proxy_problem(
            400, "misplaced-key", "A Turnfold key would be forwarded",
            detail="a Turnfold key is where it would be forwarded to the provider",
            remedy="send the Turnfold key as X-Turnfold-Key, and the provider's own as Authorization",
        )  # fmt: skip
