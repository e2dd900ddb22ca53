"""Parts of a long turn, by topic: how a fold stores them, so that a read can name and show each.

One row holds the parts of all long turns of a segment.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

LONG_TURN: Final = 1_500
"""Estimated tokens from which a turn may have parts."""


class PartEntry(NamedTuple):
    """A part as it is stored. The parts of a turn cover it, in order, without gap or overlap."""

    seq: int
    start: int
    end: int
    """Code points of its turn."""
    place: int
    """The first of its turn's passages that begins in it, or after it where none does."""
    title: str
    """Its heading, or the words that tell it from the other parts; one line."""


def pack_parts(entries: Iterable[PartEntry]) -> bytes:
    """Entries in their order, as JSON."""
    return json.dumps(list(entries), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack_parts(packed: bytes) -> list[PartEntry]:
    """What `pack_parts` packed."""
    return [PartEntry(*entry) for entry in json.loads(packed.decode("utf-8", "surrogatepass"))]


def part_of_place(parts: Sequence[PartEntry], place: int) -> int:
    """Which of a turn's parts a passage of it begins in."""
    return max((i for i, part in enumerate(parts) if part.place <= place), default=0)
