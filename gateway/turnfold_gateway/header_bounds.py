"""Limit the size of request headers and the time for them to arrive: a client needs no key to begin a request.

httptools keeps any number of headers of any length, and uvicorn waits forever for their end and for the rest of a body
that it has already answered. Its other parser, h11, has limits of its own.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEADER_BYTES: Final = 65_536
"""Bytes of a request line and headers; the last read from the socket may exceed the limit."""
HEADER_SECONDS: Final = 20.0
LINGER_SECONDS: Final = 5.0
"""How long an answered request may keep sending its body: closing at once might lose the answer."""

_TOO_LARGE: Final = b"431 Request Header Fields Too Large"
_TOO_SLOW: Final = b"408 Request Timeout"


class BoundedHeaders(HttpToolsProtocol):
    """A connection with limits on the size of headers and on the time for them to arrive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        self._in_header = True
        self._header_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        was_in_header = self._in_header
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._in_header and was_in_header:
            self._header_bytes += len(data)
            if self._header_bytes > MOST_HEADER_BYTES:
                self._refuse(_TOO_LARGE)
        elif not self._in_header and self.cycle.response_complete and self.cycle.more_body:
            self._wait(LINGER_SECONDS)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_header = True
        self._header_bytes = 0
        self._wait(HEADER_SECONDS)

    def on_headers_complete(self) -> None:
        self._in_header = False
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_waiting()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(seconds, self._refuse, _TOO_SLOW)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    @property
    def _is_answering(self) -> bool:
        # None before the first request, despite its annotation.
        return getattr(self.cycle, "response_complete", True) is False

    def _refuse(self, status: bytes) -> None:
        """Close the connection, with an error response unless an answer is in progress."""
        self._stop_waiting()
        if self._in_header and not self._is_answering:
            self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()
