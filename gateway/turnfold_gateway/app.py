"""`create_app`: the routes of all subpackages in one ASGI application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import ModuleType
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from turnfold import SchemaMismatch, TurnfoldError
from turnfold_gateway import mcp, proxy, rest, ui, webhooks
from turnfold_gateway.body_deadline import BodyDeadline
from turnfold_gateway.cells import ServedCell, ServedCells
from turnfold_gateway.keys import KeyRing
from turnfold_gateway.paths import EncodedPaths
from turnfold_gateway.problems import HANDLERS, problem_from
from turnfold_gateway.settings import GatewaySettings
from turnfold_gateway.tracing import Traces

_log = logging.getLogger(__name__)

GZIP_BYTES: Final = 1_024
"""Size below which responses are not compressed."""
GZIP_LEVEL: Final = 4

ALLOWED_HEADERS: Final = (
    "Authorization", "Content-Type", "Idempotency-Key", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version",
)  # fmt: skip
"""Headers that web pages may send; those of MCP are of requests without a session."""

ROOMS: Final[Sequence[ModuleType]] = (rest, mcp, proxy, ui, webhooks)
"""Modules with `routes`, and perhaps `lifespan(app)`, an async context manager around the time of serving."""


def create_app(settings: GatewaySettings) -> Starlette:
    """Return the gateway as an ASGI application. It connects to nothing before the lifespan starts.

    Handlers use `request.app.state`: `cells`, `keys` and `settings`. Raises `InvalidSettings`.
    """
    cells = ServedCells(settings.turnfold)
    key_ring = KeyRing(settings, cells)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(cells.close)
            stack.push_async_callback(key_ring.close)
            await _warm_up(cells)
            for room in ROOMS:
                if hasattr(room, "lifespan"):
                    await stack.enter_async_context(room.lifespan(app))
            yield

    routes: list[BaseRoute] = [route for room in ROOMS for route in room.routes]
    app = Starlette(routes=routes, middleware=_middleware(settings), exception_handlers=HANDLERS, lifespan=lifespan)
    app.state.cells = cells
    app.state.keys = key_ring
    app.state.settings = settings
    return app


def _middleware(settings: GatewaySettings) -> list[Middleware]:
    middleware = [
        Middleware(_Compression, minimum_size=GZIP_BYTES, compresslevel=GZIP_LEVEL),
        Middleware(EncodedPaths, not_found=problem_from(HTTPException(404)).response()),
        Middleware(Traces),
        Middleware(BodyDeadline, seconds=settings.body_seconds),
    ]
    if settings.origins:
        cors = Middleware(
            CORSMiddleware, allow_origins=settings.origins, allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=ALLOWED_HEADERS, expose_headers=["Retry-After"],
        )  # fmt: skip
        middleware.insert(0, cors)
    return middleware


class _Compression(GZipMiddleware):
    """Compresses responses, except event streams and what the proxy passes on."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passes_on = scope["type"] == "http" and scope["path"] in proxy.PATHS
        await (self.app(scope, receive, send) if passes_on else super().__call__(scope, receive, send))


async def _warm_up(cells: ServedCells) -> None:
    """Prepare every cell for its first requests. An unreachable server does not prevent serving: `/readyz` reports it.

    Raises `SchemaMismatch` when no cell has a schema of this version: no request could succeed until someone acts.
    """
    outcomes = await asyncio.gather(*(_warmed(cell) for cell in cells.by_name.values()))
    mismatches = [outcome for outcome in outcomes if isinstance(outcome, SchemaMismatch)]
    if len(mismatches) == len(outcomes):
        raise mismatches[0]


async def _warmed(cell: ServedCell) -> TurnfoldError | None:
    """Warm a cell up and return why it is not ready; None when it is."""
    try:
        await cell.turnfold.warm_up()
    except TurnfoldError as error:
        named = f" for cell {cell.name!r}" if cell.name else ""
        _log.warning("the gateway started but is not ready%s: %s", named, error)
        return error
    return None
