"""`/mcp` of a gateway without the package `mcp`: the error says what to install."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NoReturn

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from turnfold_gateway.problems import Problem

INSTALL: Final = "pip install 'turnfold-gateway[mcp]'"


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001 - the lifespan's signature
    """Open nothing."""
    yield


async def refuse(request: Request) -> NoReturn:  # noqa: ARG001 - Starlette's signature
    """Raise a `Problem`: 501."""
    raise Problem(
        501, "mcp-not-installed", "This gateway does not support MCP", detail="its package `mcp` is not installed",
        remedy=f"the operator must run {INSTALL} and restart the gateway",
    )  # fmt: skip


routes: list[BaseRoute] = [Route("/mcp", refuse, methods=["POST"])]
"""Routes that the gateway mounts."""
