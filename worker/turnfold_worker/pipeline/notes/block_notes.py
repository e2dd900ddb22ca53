"""The code, tables and outputs of a segment, as a query finds them that asks for one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from turnfold.code_blocks.index import BLOCKS, MOST_OF_A_SEGMENT, entries_of, pack_blocks
from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.notes.passages import Posting


def block_postings(turns: Sequence[StoredTurn], *, before: Sequence[StoredTurn] = ()) -> tuple[Posting, ...]:
    """One posting that holds all blocks of a segment; none where it has no block. `before` are turns before it."""
    packed = pack_blocks(islice(entries_of(turns, before=before), MOST_OF_A_SEGMENT))
    return (Posting(BLOCKS, 1, packed),) if packed else ()
