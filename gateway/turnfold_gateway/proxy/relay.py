"""Pass a provider's response on byte for byte as it arrives, and run a callback when it is complete."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

import httpx
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from turnfold_gateway.proxy.answers import AnswerCollector
from turnfold_gateway.proxy.exchange import log_crash
from turnfold_gateway.proxy.headers import Headers, response_headers
from turnfold_gateway.proxy.upstream import Decoded

MOST_ANSWER_BYTES: Final = 16 * 1_048_576
"""Size above which an answer is not recorded; it is still passed on."""

_Waited = TypeVar("_Waited")
_log = logging.getLogger(__name__)


class Received:
    """A provider's response: its raw bytes, and a collector for the decoded answer."""

    def __init__(self, response: httpx.Response, collector: AnswerCollector | None) -> None:
        self.response = response
        self.collector = collector
        self._decoded = Decoded(response.headers.get("content-encoding", "").strip().lower())
        self._held: list[bytes] = []
        self._chunks = response.aiter_raw()

    async def hold(self, most_bytes: int) -> bool:
        """Read and hold the response; return False if it exceeds `most_bytes`. Raises `httpx.HTTPError`."""
        size = 0
        async for chunk in self._read():
            self._held.append(chunk)
            size += len(chunk)
            if size > most_bytes:
                return False
        return True

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield all bytes, starting with those held back. Raises `httpx.HTTPError` when the provider breaks off."""
        for chunk in self._held:
            yield chunk
        async for chunk in self._read():
            yield chunk

    async def close(self) -> None:
        await self.response.aclose()

    async def _read(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            if self.collector is not None:
                self._collect(self.collector, chunk)
            yield chunk

    def _collect(self, collector: AnswerCollector, chunk: bytes) -> None:
        try:
            collector.feed(self._decoded.of(chunk, most_bytes=MOST_ANSWER_BYTES + 1))
        except Exception as error:  # noqa: BLE001 - logged
            # A response is passed on even if it cannot be decoded.
            collector.discard()
            log_crash("an answer was not collected", error)


class Relay(Response):
    """Passes a response on. `finished` is awaited after its last byte, unless either side broke off."""

    def __init__(
        self, received: Received, added: Headers, finished: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._received = received
        self._finished = finished
        self.status_code = received.response.status_code
        self.raw_headers = [*response_headers(received.response.headers.raw), *added]
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        try:
            await until_gone(receive, self._pass_on(send))
        finally:
            await self._received.close()

    async def _pass_on(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for chunk in self._received.chunks():
                await send(_body(chunk))
        except httpx.HTTPError as error:
            # Without an end of the response the server closes the connection, so the client notices the break too.
            _log.warning("the provider's response was interrupted (%s)", type(error).__name__)
            return
        if self._finished is not None:
            # The answer is complete, so this has to finish even if the client disconnects now.
            await asyncio.shield(asyncio.ensure_future(self._finished()))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def until_gone(receive: Receive, work: Awaitable[_Waited]) -> _Waited | None:
    """Return the result of `work`; if the client disconnects first, cancel it and return None."""
    working = asyncio.ensure_future(work)
    gone = asyncio.create_task(_gone(receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        return None
    finally:
        for task in (working, gone):
            if not task.done():
                task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(chunk: bytes) -> Message:
    return {"type": "http.response.body", "body": chunk, "more_body": True}
