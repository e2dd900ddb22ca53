"""A page of anchors in their current state or that of an earlier day, filtered before they are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from turnfold.contract.records import Anchor
from turnfold.contract.wanted_anchors import EVERY_ANCHOR, WantedAnchors, whole_turns
from turnfold.dates.validity import anchors_up_to, with_last_days
from turnfold.read.pending_edits import NO_CHANGES, Changes

if TYPE_CHECKING:
    from turnfold.database.anchor_read import AnchorRead


def anchor_page(
    read: AnchorRead, wanted: WantedAnchors = EVERY_ANCHOR, *, changes: Changes = NO_CHANGES,
    last_seq: int | None = None,
) -> tuple[Anchor, ...]:  # fmt: skip
    """Return the first wanted anchors, without splitting a turn; anchors of the open tail come last.

    `changes` are the edits still in the inbox. `last_seq` returns the anchors up to that turn, in their states then.
    """

    def standing(block: Sequence[Anchor]) -> list[Anchor]:
        """Return the wanted anchors of a block, in the states that linked anchors and the tail give them."""
        among = {anchor.id for anchor in block}
        every = read.tail.applied_to(anchor for anchor in block if anchor.id not in tail_ids)
        every = with_last_days((*every, *read.linked(every)))
        if last_seq is not None:
            every = anchors_up_to(every, last_seq)
        return [anchor for anchor in changes.anchors(every) if anchor.id in among and anchor in wanted]

    tail_ids = {anchor.id for anchor in read.tail.anchors}
    page: list[Anchor] = []
    within = wanted if last_seq is None else replace(wanted, last_turn=min(wanted.last_turn, last_seq))
    for block in read.blocks(within, states_differ=last_seq is not None):
        page += standing(block)
        if len(page) >= wanted.limit:
            break
    else:
        page += standing(read.tail.anchors)
    return tuple(whole_turns(page, wanted.limit))
