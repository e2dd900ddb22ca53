"""Which conversations one caller of the server reaches, and what it may do there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from turnfold import AsyncTurnfold


@dataclass(frozen=True, slots=True)
class Reach:
    """A tenant's client, narrowed to what the caller may do."""

    client: AsyncTurnfold
    conversation_id: str | None = None
    """The only conversation that is served; None: all of the tenant's, named by each call."""
    may_append: bool = True


Request = ServerRequestContext[Any, Any]
"""One request of an MCP client, with the HTTP request that brought it where there is one."""

ReachOf = Callable[[Request], Awaitable[Reach]]
"""Finds out what the caller behind a request reaches."""
