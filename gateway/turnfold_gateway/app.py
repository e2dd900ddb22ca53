"""`create_app`: the rooms' routes in one ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import ModuleType
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from turnfold import AsyncTurnfold
from turnfold_gateway import mcp, rest
from turnfold_gateway.keys import KeyRing
from turnfold_gateway.paths import EncodedPaths
from turnfold_gateway.problems import HANDLERS
from turnfold_gateway.settings import GatewaySettings

ROOMS: Final[Sequence[ModuleType]] = (rest, mcp)
"""Each has `routes`, and may have `lifespan(app)`, an asynchronous context manager around the time of serving."""


def create_app(settings: GatewaySettings, turnfold: AsyncTurnfold | None = None) -> Starlette:
    """The gateway as an ASGI application. Connects to nothing until it is asked something.

    Handlers find in `request.app.state`: `turnfold`, `keys` and `settings`. A client that is given stays open at the
    end; without one the application makes its own, and closes it.
    """
    client = turnfold or AsyncTurnfold.from_settings(settings.turnfold)
    key_ring = KeyRing(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(key_ring.close)
            if turnfold is None:
                stack.push_async_callback(client.close)
            for room in ROOMS:
                if hasattr(room, "lifespan"):
                    await stack.enter_async_context(room.lifespan(app))
            yield

    routes: list[BaseRoute] = [route for room in ROOMS for route in room.routes]
    app = Starlette(
        routes=routes, middleware=[Middleware(EncodedPaths)], exception_handlers=HANDLERS, lifespan=lifespan
    )
    app.state.turnfold = client
    app.state.keys = key_ring
    app.state.settings = settings
    return app
