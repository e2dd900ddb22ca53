"""The MCP server: conversations for agents that speak the Model Context Protocol, with `turnfold-gateway[mcp]`.

server      dispatches the protocol's requests
stdio       serves a program on the same machine
http        serves at `/mcp` of the gateway, to callers with keys
missing     the error of `/mcp` without the extra
reach       the conversations and operations that a caller may use
schemas     tool descriptions and schemas for clients
arguments   validates a call's arguments
calls       the tools
resources   conversations as resources
record      the frame around quoted conversation text
failures    error messages for callers
"""

from importlib.util import find_spec

if find_spec("mcp") is None:
    from turnfold_gateway.mcp.missing import lifespan, routes
else:
    from turnfold_gateway.mcp.http import lifespan, routes

__all__ = ["lifespan", "routes"]
