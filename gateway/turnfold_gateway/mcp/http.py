"""Serve MCP over Streamable HTTP, at `/mcp` of the gateway: stateless, with a key for each request.

No session state is kept, so a client's calls may go to any number of gateways. A server without sessions has no stream
to open: `GET` is answered with 405, as the protocol requires.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request as HTTPRequest
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from turnfold_gateway.inputs import whole_body
from turnfold_gateway.keys import Caller, authenticate
from turnfold_gateway.mcp.reach import Reach, Request
from turnfold_gateway.mcp.server import make_server
from turnfold_gateway.problems import Problem


async def _reach_of(request: Request) -> Reach:
    """Return the reach of the request's key: its tenant, and appending only if its scopes allow that."""
    http = request.request
    assert http is not None  # noqa: S101 - it came over HTTP
    caller: Caller = http.state.mcp_caller
    return Reach(
        http.app.state.cells.client(caller.tenant), may_append=not caller.scopes.isdisjoint({"append", "admin"})
    )


class _Endpoint:
    """An ASGI application, because MCP's transport writes its responses itself."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = HTTPRequest(scope, receive)
        _check_origin(request)
        request.state.mcp_caller = await authenticate(request, "read")
        # Read here, since the transport would log a client's disconnect as a server failure.
        body = await whole_body(
            request.stream(), most_bytes=request.app.state.settings.max_body_bytes,
            remedy="append in several calls, or raise TURNFOLD_GATEWAY_MAX_BODY_BYTES",
        )  # fmt: skip
        sessions: StreamableHTTPSessionManager = request.app.state.mcp_sessions
        await sessions.handle_request(scope, _again(body, receive), send)


def _check_origin(request: HTTPRequest) -> None:
    """Raise `Problem` (403) for a web page whose origin is not configured.

    Required by the protocol against DNS rebinding: a page can make its own host name resolve to this host.
    """
    origin = request.headers.get("origin")
    if origin is not None and origin not in request.app.state.settings.origins:
        raise Problem(
            403, "foreign-origin", "Calls from web pages are refused", detail="the request came from a web page on "
                "another origin",
            remedy="add the page's origin to TURNFOLD_GATEWAY_CORS_ORIGINS",
        )  # fmt: skip


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that delivers the body in one piece, then continues with the original."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return parts.pop() if parts else await receive()

    return received


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Run the session manager while the application serves."""
    app.state.mcp_sessions = StreamableHTTPSessionManager(
        make_server(_reach_of), json_response=True, stateless=True,
        max_request_body_size=app.state.settings.max_body_bytes,
    )  # fmt: skip
    async with app.state.mcp_sessions.run():
        yield


routes: list[BaseRoute] = [Route("/mcp", _Endpoint(), methods=["POST"])]
"""Routes that the gateway mounts."""
