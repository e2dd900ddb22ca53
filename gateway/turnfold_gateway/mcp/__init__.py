"""The MCP server: conversations for agents that speak the Model Context Protocol, with `turnfold-gateway[mcp]`.

server      the protocol's requests, given to what answers them
stdio       serves a program on the same machine
http        serves at `/mcp` of the gateway, to callers with keys
missing     what `/mcp` says without the extra
reach       which conversations a caller reaches
schemas     what clients are told of the tools
arguments   a call's arguments, held against them
calls       the tools
resources   conversations as resources
record      how what was said is framed
failures    what a caller is told when a call fails
"""

from importlib.util import find_spec

if find_spec("mcp") is None:
    from turnfold_gateway.mcp.missing import lifespan, routes
else:
    from turnfold_gateway.mcp.http import lifespan, routes

__all__ = ["lifespan", "routes"]
