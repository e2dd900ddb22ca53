"""The mark of a conversation whose postings were dropped: a row of `posting` that is no piece, and how far they stand.

A conversation that nobody wrote to for long may lose its postings, which a fold makes again from its turns. The mark
is where reads look for pieces anyway, so that they meet it without another statement.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

MARK: Final = -1
"""The number of the row: no piece has one below 0."""
_SEGMENTS: Final = struct.Struct("<I")


def pack_mark(segments: int) -> bytes:
    """The body of the row where the postings of the first `segments` stand: of as many as if there were no others.

    Compressed, as every body of `posting` is.

    >>> unpack_mark(pack_mark(70_000))
    70000
    """
    return zlib.compress(_SEGMENTS.pack(segments))


def unpack_mark(body: bytes) -> int:
    """The inverse of `pack_mark`."""
    segments: int = _SEGMENTS.unpack(zlib.decompress(body))[0]
    return segments
