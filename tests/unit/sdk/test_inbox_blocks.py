"""A list of turns is split into calls of bounded size to Redis."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.redis import inbox
from turnfold.wire.encode import Entry


@given(st.lists(st.integers(0, 12), max_size=40), st.integers(1, 6), st.integers(1, 20))
def test_every_entry_is_in_one_block_in_order_and_no_block_is_too_large(sizes: list[int], most: int, room: int) -> None:
    entries = [Entry(str(number), b"x" * size) for number, size in enumerate(sizes)]
    before = inbox.ENTRIES_PER_CALL, inbox.BYTES_PER_CALL
    inbox.ENTRIES_PER_CALL, inbox.BYTES_PER_CALL = most, room  # type: ignore[misc]
    try:
        blocks = [list(block) for block in inbox.blocks_of(entries)]
    finally:
        inbox.ENTRIES_PER_CALL, inbox.BYTES_PER_CALL = before  # type: ignore[misc]
    assert [entry for block in blocks for entry in block] == entries
    assert all(1 <= len(block) <= most for block in blocks)
    assert all(len(block) == 1 or sum(len(entry.body) for entry in block) <= room for block in blocks)
