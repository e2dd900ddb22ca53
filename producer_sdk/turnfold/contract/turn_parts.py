"""Parts of a long turn, by topic, as stored by a fold for reads that list or show them.

One row stores the parts of all long turns of a segment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

LONG_TURN: Final = 1_500
"""Minimum estimated tokens of a turn with parts."""


class PartEntry(NamedTuple):
    """A stored part. The parts of a turn cover it in order, without gaps or overlaps."""

    seq: int
    start: int
    end: int
    """`start` and `end` are code points of the turn."""
    place: int
    """Place of the turn's first passage that begins in or after the part."""
    title: str
    """Heading of the part, or the words that distinguish it from the other parts; one line."""


def pack_parts(entries: Iterable[PartEntry]) -> bytes:
    """Serialize entries in their order as JSON."""
    return json.dumps(list(entries), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack_parts(packed: bytes) -> list[PartEntry]:
    """Deserialize entries packed by `pack_parts`."""
    return [PartEntry(*entry) for entry in json.loads(packed.decode("utf-8", "surrogatepass"))]


def part_of_place(parts: Sequence[PartEntry], place: int) -> int:
    """Return the index of the part of a turn in which a passage begins."""
    return max((i for i, part in enumerate(parts) if part.place <= place), default=0)
