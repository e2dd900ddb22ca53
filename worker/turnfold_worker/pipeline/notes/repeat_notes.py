"""What a segment holds that later ones may repeat, and what it repeats itself, as folds find it. Pure."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from turnfold_worker.pipeline.notes.passages import Posting
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.repeats import posted_terms, repeating_term


def repeat_postings(readings: Sequence[Reading]) -> tuple[Posting, ...]:
    """Postings of the turns that repeat nothing, by their fingerprints, and of the earlier turns that are repeated."""
    seqs: dict[str, list[int]] = {}
    for reading in readings:
        repeat = reading.treatment.repeat if reading.treatment is not None else None
        if repeat is None:
            for term in posted_terms(reading.turn):
                seqs.setdefault(term, []).append(reading.turn.seq)
        elif repeat.of < readings[0].turn.seq:
            seqs.setdefault(repeating_term(repeat.of), []).append(reading.turn.seq)
    return tuple(Posting(term, 1, pack_seqs(found)) for term, found in seqs.items())


def pack_seqs(seqs: Sequence[int]) -> bytes:
    """Numbers of turns, eight bytes each."""
    return struct.pack(f"<{len(seqs)}Q", *seqs)


def unpack_seqs(packed: bytes) -> tuple[int, ...]:
    """What `pack_seqs` packed."""
    return struct.unpack(f"<{len(packed) // 8}Q", packed)
