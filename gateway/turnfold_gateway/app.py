"""`create_app`: the rooms' routes in one ASGI application."""

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
"""Smaller answers are sent as they are."""
GZIP_LEVEL: Final = 4

ROOMS: Final[Sequence[ModuleType]] = (rest, mcp, proxy, ui, webhooks)
"""Each has `routes`, and may have `lifespan(app)`, an asynchronous context manager around the time of serving."""


def create_app(settings: GatewaySettings) -> Starlette:
    """The gateway as an ASGI application. Connects to nothing until it is asked something.

    Handlers find in `request.app.state`: `cells`, `keys` and `settings`. Raises `InvalidSettings`.
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
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key"], expose_headers=["Retry-After"],
        )  # fmt: skip
        middleware.insert(0, cors)
    return middleware


class _Compression(GZipMiddleware):
    """Leaves streams of events as they are, and whatever the proxy passes on."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passes_on = scope["type"] == "http" and scope["path"] in proxy.PATHS
        await (self.app(scope, receive, send) if passes_on else super().__call__(scope, receive, send))


async def _warm_up(cells: ServedCells) -> None:
    """Prepare what the first requests need. A server that is away is no reason not to serve: `/readyz` tells of it.

    Raises `SchemaMismatch` where no cell has a schema of this version: nothing would be answered until somebody acts.
    """
    outcomes = await asyncio.gather(*(_warmed(cell) for cell in cells.by_name.values()))
    mismatches = [outcome for outcome in outcomes if isinstance(outcome, SchemaMismatch)]
    if len(mismatches) == len(outcomes):
        raise mismatches[0]


async def _warmed(cell: ServedCell) -> TurnfoldError | None:
    """Why a cell is not ready; None where it is."""
    try:
        await cell.turnfold.warm_up()
    except TurnfoldError as error:
        named = f" for cell {cell.name!r}" if cell.name else ""
        _log.warning("the gateway starts without being ready%s: %s", named, error)
        return error
    return None
