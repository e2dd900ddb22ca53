"""Anchors of the open tail, extracted as for a segment, and how they change the stored anchors. Pure.

Always computed from all turns of the tail: the newest turn can change which anchors are best, which questions are
answered, and who speaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from turnfold.contract.periods import day_label
from turnfold.contract.records import FIRST_TAIL_ANCHOR, Anchor, AnchorState, StoredTurn
from turnfold.contract.tail_anchors import NO_TAIL_ANCHORS, TailAnchors
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.ranks import ANSWERED_AT_ONCE
from turnfold_worker.pipeline.anchors.reconcile.two_values import standing_pairs
from turnfold_worker.pipeline.anchors.reports import with_reports
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import Reading


class MergedTail(NamedTuple):
    """The anchors of the open tail, and the anchors that they settle."""

    anchors: TailAnchors = NO_TAIL_ANCHORS
    settled: Sequence[SettledAnchor] = ()
    """Settled anchors, stored ones and those of the tail, as if the tail were a closed segment."""


NOTHING_FOUND: Final = MergedTail()


def tail_drafts(readings: Sequence[Reading], settings: FoldSettings) -> tuple[AnchorDraft, ...]:
    """Extract the anchor drafts of the open tail, in text order."""
    return with_reports(extract_anchors(readings, settings), readings)


def merged_tail(
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    turns: Sequence[StoredTurn],
    *,
    node_idx: int,
    settings: FoldSettings,
) -> MergedTail:
    """Merge the drafts of `turns` with earlier anchors of the conversation, comparing words alone.

    No vectors are compared: none is stored for a draft that may never become an anchor.
    """
    merged = merge(drafts, candidates, next_id=FIRST_TAIL_ANCHOR, node_idx=node_idx, settings=settings)
    by_id = {anchor.id: anchor for anchor in (*candidates, *merged.new)}
    turn_of = {turn.seq: turn for turn in turns}
    new_anchors = tuple(_as_read(anchor, turn_of[anchor.turn_seq], by_id) for anchor in merged.new)
    changed = [
        replace(by_id[anchor.id], state=anchor.state, related=anchor.related)
        for anchor in merged.changed
        if anchor.id in by_id
    ]
    over = [
        _settled(anchor, by_id[anchor.related])
        for anchor in (*changed, *new_anchors)
        if _is_over(anchor) and anchor.related in by_id
    ]
    pairs = [
        SettledAnchor.standing(anchor.turn_seq, anchor.text, other.turn_seq, other.text)
        for anchor, other in standing_pairs((*candidates, *new_anchors), merged.changed)
    ]
    return MergedTail(TailAnchors(anchors=new_anchors, changes=merged.changed), [*over, *pairs])


def _as_read(anchor: Anchor, turn: StoredTurn, by_id: Mapping[int, Anchor]) -> Anchor:
    """Fill in the fields of an anchor that a read joins to its row: the day, and the replaced anchor's text."""
    day = day_label(turn.created_at) if turn.created_at is not None else ""
    if anchor.replaces is None:
        return replace(anchor, day=day)
    other = by_id[anchor.replaces]
    return replace(anchor, replaced=other.text, replaced_seq=other.turn_seq, day=day)


def _is_over(anchor: Anchor) -> bool:
    is_closed = anchor.state in {AnchorState.SUPERSEDED, AnchorState.RESOLVED}
    return is_closed and anchor.related is not None and anchor.rank != ANSWERED_AT_ONCE


def _settled(anchor: Anchor, by: Anchor) -> SettledAnchor:
    return SettledAnchor(anchor.turn_seq, anchor.text, anchor.state is AnchorState.SUPERSEDED, by.turn_seq, by.text)
