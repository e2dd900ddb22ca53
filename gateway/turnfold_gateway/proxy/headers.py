"""Select the headers that pass through the proxy: all except hop-by-hop headers and our own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

CONVERSATION: Final = "x-turnfold-conversation"
KEY: Final = "x-turnfold-key"
BUDGET: Final = "x-turnfold-budget"
TOKENIZER: Final = "x-turnfold-tokenizer"
HISTORY: Final = "x-turnfold-history"
TOOLS: Final = "x-turnfold-tools"
RECALL: Final = "x-turnfold-recall"

MEMORY: Final = "X-Turnfold-Memory"
"""Response header: `on`, or `bypassed; reason=…` when the request was forwarded unchanged."""
TOKENS: Final = "X-Turnfold-Tokens"
FOLDED: Final = "X-Turnfold-Folded"
LOOKUPS: Final = "X-Turnfold-Lookups"

Headers = list[tuple[bytes, bytes]]

_OURS: Final = b"x-turnfold-"
_OF_A_CONNECTION: Final = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
    b"transfer-encoding", b"upgrade", b"proxy-connection",
})  # fmt: skip
_OF_A_REQUEST: Final = frozenset({b"host", b"content-length", b"accept-encoding", b"expect"})
READABLE: Final = ("gzip", "deflate", "identity")
"""Content encodings that can be decoded while the response is passed on."""


def request_headers(given: Iterable[tuple[bytes, bytes]], *, same_body: bool) -> Headers:
    """Return the headers to send to the provider. `same_body`: the caller's body is forwarded byte for byte."""
    given = list(given)
    dropped = _OF_A_CONNECTION | _OF_A_REQUEST | _named_by_connection(given)
    if not same_body:
        dropped |= {b"content-encoding"}
    kept = [(name, value) for name, value in _lowered(given) if name not in dropped and not name.startswith(_OURS)]
    return [*kept, (b"accept-encoding", _readable(given))]


def body_length(given: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the Content-Length of a body that is streamed on, since not every server accepts a chunked request."""
    given = _lowered(given)
    if any(name == b"transfer-encoding" for name, _ in given):
        return []
    return [(name, value) for name, value in given if name == b"content-length"][:1]


def response_headers(given: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the provider's headers for the caller; the body is unchanged, so its encoding and length stay."""
    given = list(given)
    dropped = _OF_A_CONNECTION | _named_by_connection(given)
    return [(name, value) for name, value in _lowered(given) if name not in dropped and not name.startswith(_OURS)]


def own_headers(values: Mapping[str, str | int | None]) -> Headers:
    """Encode the headers that we add, omitting those without a value."""
    return [(name.lower().encode(), str(value).encode()) for name, value in values.items() if value is not None]


def _lowered(given: Iterable[tuple[bytes, bytes]]) -> Headers:
    return [(name.lower(), value) for name, value in given]


def _named_by_connection(given: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Return the headers that the Connection header declares to be hop-by-hop."""
    return frozenset(
        named.strip().lower() for name, value in given if name.lower() == b"connection" for named in value.split(b",")
    )


def _readable(given: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the Accept-Encoding to send: the encodings that the caller accepts and we can decode."""
    taken = {
        encoding.split(b";")[0].strip().decode("latin-1").lower()
        for name, value in given if name.lower() == b"accept-encoding" for encoding in value.split(b",")
        if b"q=0" not in encoding.replace(b" ", b"").split(b";")[1:]
    }  # fmt: skip
    return ", ".join(encoding for encoding in READABLE if encoding in taken).encode() or b"identity"
