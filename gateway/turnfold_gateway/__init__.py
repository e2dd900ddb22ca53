"""The HTTP gateway: one process between any language and the SDK. It holds no rule of its own.

app             `create_app`: the rooms' routes in one ASGI application
settings        `TURNFOLD_GATEWAY_*`
problems        errors as RFC 9457 problems
inputs          what callers send, inside bounds
cells           the cells that are served, and which a tenant lives in
redis_client    what the gateway itself asks of Redis
body_deadline   how long a request's body may take to arrive
header_bounds   how large headers may be, and how long they may take
paths           ids in paths, percent-encoded
tracing         a span for each request, where the process traces

keys            who calls, for which tenant, and what for
rest            the routes of `/v1`
proxy           between an application and its provider
mcp             the same for agents, by the Model Context Protocol
ui              the page `/ui`: conversations as people look at them
webhooks        who is told when conversations are folded, refined, expired, parked or erased
cli             `turnfold serve`, `turnfold keys`, `turnfold webhooks` and `turnfold mcp`
"""

from turnfold_gateway.app import create_app
from turnfold_gateway.settings import GatewaySettings

__all__ = ["GatewaySettings", "create_app"]
