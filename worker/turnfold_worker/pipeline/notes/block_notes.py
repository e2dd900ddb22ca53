"""The code, tables and outputs of a segment, as a query finds them that asks for one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from turnfold.code_blocks.index import MOST_OF_A_SEGMENT, entries_of, pack_blocks
from turnfold.contract.records import StoredTurn


def packed_blocks(turns: Sequence[StoredTurn], *, before: Sequence[StoredTurn] = ()) -> bytes:
    """All blocks of a segment, packed; empty where it has none. `before` are turns before it."""
    return pack_blocks(islice(entries_of(turns, before=before), MOST_OF_A_SEGMENT))
