"""How long a request's body may take to arrive: a server would wait for it without end."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnfold_gateway.problems import Problem


class BodyDeadline:
    """Raises `Problem` (408) where an application reads a body that is not whole in time."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        in_time = receive if scope["type"] != "http" else self._in_time(receive)
        await self._app(scope, in_time, send)

    def _in_time(self, receive: Receive) -> Receive:
        end = asyncio.get_running_loop().time() + self._seconds
        is_whole = False

        async def receive_in_time() -> Message:
            nonlocal is_whole
            if is_whole:
                # From here on it is waited for a client that goes away.
                return await receive()
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError as error:
                raise self._too_slow() from error
            is_whole = not message.get("more_body", False)
            return message

        return receive_in_time

    def _too_slow(self) -> Problem:
        return Problem(
            408, "request-too-slow", "The request took too long to arrive",
            detail=f"the body was not whole after {self._seconds:g} s",
            remedy="send less at once, or raise TURNFOLD_GATEWAY_BODY_SECONDS", headers={"Connection": "close"},
        )  # fmt: skip
