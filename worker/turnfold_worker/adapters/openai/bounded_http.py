"""HTTP replies of limited size, even when decompressed, and without redirects."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from openai import DefaultAsyncHttpxClient

MOST_REPLY_BYTES: Final = 4 * 1_048_576
"""Size limit of a decompressed reply: a hundred times the longest that is requested."""

ACCEPTED: Final[Mapping[str, str]] = {"accept-encoding": "gzip, deflate"}
"""Encodings that can be decompressed in pieces: 300 KB of gzip may be 300 MB."""

_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32


class ReplyTooLong(Exception):  # noqa: N818 - named by what it is
    """A reply exceeds the size limit, or has an encoding that was not accepted."""


def bounded_client(*, timeout_seconds: float) -> DefaultAsyncHttpxClient:
    """Make OpenAI's usual HTTP client, with replies of at most `MOST_REPLY_BYTES` and without redirects.

    A redirect would send the key and the conversation to any address that the server names.
    """
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient(
        timeout=timeout_seconds, follow_redirects=False, headers=ACCEPTED, event_hooks={"response": [_bound]}
    )


async def _bound(response: Any) -> None:
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    # The base class of the client's own streams: OpenAI uses HTTPX or its successor, by version.
    kind = next(base for base in type(response.stream).__mro__ if base.__name__ == "AsyncByteStream")
    response.stream = _bounded_kind(kind)(response.stream, encoding)


@lru_cache(maxsize=4)
def _bounded_kind(kind: type) -> type:
    return type("BoundedStream", (_Bounded, kind), {})


class _Bounded:
    """A reply's bytes, decompressed up to the limit."""

    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._encoding not in {"identity", "gzip", "deflate"}:
            raise ReplyTooLong("it has an unrequested content encoding")
        unpacker = None if self._encoding == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
        left = MOST_REPLY_BYTES
        async for chunk in self._stream:
            piece = chunk if unpacker is None else unpacker.decompress(chunk, left + 1)
            left -= len(piece)
            if unpacker is not None and unpacker.eof and unpacker.unused_data:
                raise ReplyTooLong("it has data after its end")
            if left < 0:
                raise ReplyTooLong(f"it is longer than {MOST_REPLY_BYTES} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
