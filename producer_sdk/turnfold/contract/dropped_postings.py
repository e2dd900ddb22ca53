"""The mark of a conversation whose postings were dropped: a row of `posting` that records how far they reached.

Postings of a conversation that is idle for long may be dropped; a fold rebuilds them from the turns. The mark is a
row of a table that reads fetch from anyway, so that no extra statement is needed.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

MARK: Final = -1
"""Number of the mark's row; pieces have numbers from 0."""
_SEGMENTS: Final = struct.Struct("<I")


def pack_mark(segments: int) -> bytes:
    """Serialize the number of segments, from the first, that still have postings.

    Compressed like every body of `posting`.

    >>> unpack_mark(pack_mark(70_000))
    70000
    """
    return zlib.compress(_SEGMENTS.pack(segments))


def unpack_mark(body: bytes) -> int:
    """The inverse of `pack_mark`."""
    segments: int = _SEGMENTS.unpack(zlib.decompress(body))[0]
    return segments
