"""Read request input within limits: bodies, JSON objects, whole numbers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from turnfold_gateway.problems import Problem

LARGEST_NUMBER: Final = 999_999_999


async def whole_body(chunks: AsyncIterator[bytes], *, most_bytes: int, remedy: str) -> bytes:
    """Collect a body while counting its bytes. Raises `Problem` (413) with `remedy` when it is too large."""
    received = bytearray()
    async for chunk in chunks:
        if len(received) + len(chunk) > most_bytes:
            raise Problem(
                413, "body-too-large", "The body is too large", detail=f"the body exceeds {most_bytes} bytes",
                remedy=remedy,
            )  # fmt: skip
        received += chunk
    return bytes(received)


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """Parse a JSON object; return None for anything else."""
    try:
        document = _decoded(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _decoded(text: str | bytes) -> Any:
    """Decode JSON with msgspec, four times as fast, or with `json` if only that accepts it: lone surrogates, NaN."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return json.loads(text)


def whole_number(text: str, *, most: int = LARGEST_NUMBER) -> int | None:
    """Parse a whole number from 0 to `most` in decimal digits; return None for anything else.

    >>> whole_number("17"), whole_number("-1"), whole_number("1_000"), whole_number("1234567890")
    (17, None, None, None)
    """
    # The length is checked first: parsing a number of many digits is slow.
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None
