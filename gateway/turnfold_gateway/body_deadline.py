"""Limit the time in which a request's body has to arrive; the server itself would wait forever."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from turnfold_gateway.problems import Problem


class BodyDeadline:
    """Raises `Problem` (408) when an application reads a body that has not arrived completely in time."""

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
                # After the body, `receive` only waits for the client to disconnect.
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
            detail=f"the body was incomplete after {self._seconds:g} s",
            remedy="send a smaller body, or raise TURNFOLD_GATEWAY_BODY_SECONDS", headers={"Connection": "close"},
        )  # fmt: skip
