"""The HTTP gateway: one process that makes the SDK available to any language. It adds no rules of its own.

app             `create_app`: the subpackages' routes in one ASGI application
settings        `TURNFOLD_GATEWAY_*`
problems        errors as RFC 9457 problems
inputs          request bodies, JSON objects and numbers, within limits
cells           the cells that are served, and each tenant's cell
redis_client    the gateway's own requests to Redis
body_deadline   time limit for a request's body
header_bounds   size and time limits for headers
paths           ids in paths, percent-encoded
tracing         a span for each request, where the process traces
keys            authentication: a caller's tenant and scopes
rest            the routes of `/v1`
proxy           a proxy between an application and its provider
mcp             conversations for agents, by the Model Context Protocol
ui              the page `/ui`: conversations for people to inspect
webhooks        notifications when conversations are folded, refined, expired, parked or erased
cli             `turnfold serve`, `turnfold keys`, `turnfold webhooks` and `turnfold mcp`
"""

from turnfold_gateway.app import create_app
from turnfold_gateway.settings import GatewaySettings

__all__ = ["GatewaySettings", "create_app"]
