"""What callers send, inside bounds: whole bodies, objects of JSON, whole numbers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from turnfold_gateway.problems import Problem

LARGEST_NUMBER: Final = 999_999_999


async def whole_body(chunks: AsyncIterator[bytes], *, most_bytes: int, remedy: str) -> bytes:
    """A body put together, counted as it comes. Raises `Problem` (413) for one that is too large, with the remedy."""
    received = bytearray()
    async for chunk in chunks:
        if len(received) + len(chunk) > most_bytes:
            raise Problem(
                413, "body-too-large", "The body is too large", detail=f"the body is above {most_bytes} bytes",
                remedy=remedy,
            )  # fmt: skip
        received += chunk
    return bytes(received)


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """A text as an object of JSON; None of anything else."""
    try:
        document = _decoded(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _decoded(text: str | bytes) -> Any:
    """What JSON says: by a decoder four times as fast, and what only Python's reads by that: lone surrogates, NaN."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return json.loads(text)


def whole_number(text: str, *, most: int = LARGEST_NUMBER) -> int | None:
    """A whole number from 0 to `most` in decimal digits; None of anything else.

    >>> whole_number("17"), whole_number("-1"), whole_number("1_000"), whole_number("1234567890")
    (17, None, None, None)
    """
    # By its length before it is read: a number of many digits takes long.
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None
