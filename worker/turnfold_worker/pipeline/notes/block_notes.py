"""The code, tables and outputs of a segment, as a query finds them that asks for one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

from turnfold.code_blocks.index import BLOCKS, MOST_OF_A_SEGMENT, entries_of, pack_blocks
from turnfold_worker.pipeline.notes.passages import Posting
from turnfold_worker.pipeline.turns.reading import Reading


def block_postings(readings: Sequence[Reading]) -> tuple[Posting, ...]:
    """One posting that holds all blocks of a segment; none where it has no block."""
    entries = chain.from_iterable(entries_of(reading.turn, printed=reading.tool) for reading in readings)
    packed = pack_blocks(islice(entries, MOST_OF_A_SEGMENT))
    return (Posting(BLOCKS, 1, packed),) if packed else ()
