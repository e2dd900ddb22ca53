"""Create a span for each request with OpenTelemetry's API, if the process has configured it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnfold.telemetry import tracer

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

FIRST_SERVER_ERROR: Final = 500
_CONVERTOR: Final = re.compile(r":\w+}")


class Traces:
    """Continues the trace of `traceparent`. The SDK's spans are children of the request's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        active = tracer() if scope["type"] == "http" else None
        if active is None:
            await self._app(scope, receive, send)
        else:
            await self._traced(active, scope, receive, send)

    async def _traced(self, active: Tracer, scope: Scope, receive: Receive, send: Send) -> None:
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        method, route = scope["method"], _route(scope)
        attributes = {"http.request.method": method, "url.scheme": scope.get("scheme", "http")}
        with active.start_as_current_span(
            f"{method} {route}" if route else method, context=extract(Headers(scope=scope)), kind=SpanKind.SERVER,
            attributes={**attributes, "http.route": route} if route else attributes, record_exception=False,
        ) as opened:  # fmt: skip

            async def answer(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _note(opened, message["status"])
                await send(message)

            await self._app(scope, receive, answer)


def _route(scope: Scope) -> str:
    """Return the route template of a request; "" when no route matches."""
    for route in scope["app"].routes:
        if route.matches(scope)[0] is not Match.NONE:
            return _CONVERTOR.sub("}", route.path)
    return ""


def _note(opened: Span, status: int) -> None:
    from opentelemetry.trace import StatusCode

    opened.set_attribute("http.response.status_code", status)
    if status >= FIRST_SERVER_ERROR:
        opened.set_attribute("error.type", str(status))
        opened.set_status(StatusCode.ERROR)
