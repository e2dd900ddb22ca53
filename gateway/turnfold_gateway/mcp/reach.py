"""The conversations that a caller of the server may use, and the operations allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from turnfold import AsyncTurnfold


@dataclass(frozen=True, slots=True)
class Reach:
    """A tenant's client, restricted to what the caller may do."""

    client: AsyncTurnfold
    conversation_id: str | None = None
    """The only conversation that is served; None for all of the tenant's, named in each call."""
    may_append: bool = True


Request = ServerRequestContext[Any, Any]
"""A request of an MCP client, including its HTTP request if there is one."""

ReachOf = Callable[[Request], Awaitable[Reach]]
"""Determines the reach of a request's caller."""
