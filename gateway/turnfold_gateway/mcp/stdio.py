"""Serve MCP to a program on the same machine: JSON-RPC over standard input and output."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from turnfold import AsyncTurnfold, Settings
from turnfold.contract.keys import checked_id
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.server import make_server, one_reach


async def serve_stdio(settings: Settings, *, conversation_id: str | None = None, may_append: bool = True) -> None:
    """Serve a tenant's conversations, or one of them, until standard input ends. Raises `InvalidInput`.

    An unreachable Redis or database is reported in each call: if the server did not start, the user would not see why.
    """
    if conversation_id is not None:
        checked_id("conversation", conversation_id)
    async with AsyncTurnfold.from_settings(settings) as client:
        server = make_server(one_reach(Reach(client, conversation_id, may_append)))
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())
