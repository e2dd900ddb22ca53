"""Record what later segments may repeat of a segment, and what it repeats itself. Pure."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.repeats import posted_marks, repeating_mark


def repeat_marks(readings: Sequence[Reading]) -> tuple[tuple[int, bytes], ...]:
    """Return the marks of turns that repeat nothing and of repeated earlier turns, each with packed turn numbers."""
    seqs: dict[int, list[int]] = {}
    for reading in readings:
        repeat = reading.repeat
        if repeat is None:
            for mark in posted_marks(reading.turn):
                seqs.setdefault(mark, []).append(reading.turn.seq)
        elif repeat.of < readings[0].turn.seq:
            seqs.setdefault(repeating_mark(repeat.of), []).append(reading.turn.seq)
    return tuple((mark, struct.pack(f"<{len(numbers)}Q", *numbers)) for mark, numbers in seqs.items())


def unpack_seqs(packed: bytes) -> tuple[int, ...]:
    """Unpack the turn numbers of a mark, eight bytes each."""
    return struct.unpack(f"<{len(packed) // 8}Q", packed)
