"""Find the anchors of the open tail: those that the next segment will have, as far as its turns are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnfold_worker.pipeline.tail_anchors import NOTHING_FOUND, MergedTail, merged_tail, tail_drafts
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.ports.messages import Tail
from turnfold_worker.use_cases.earlier import candidates_of
from turnfold_worker.use_cases.last_try import or_plain

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore


def anchors_of_tail(tail: Tail, readings: Sequence[Reading], store: SqlStore, *, total: bool) -> MergedTail:
    """Return the anchors of the open tail; with `total`, none where the rules fail."""
    if not readings:
        return NOTHING_FOUND
    settings = tail.settings

    def by_rules() -> MergedTail:
        drafts = tail_drafts(readings, settings)
        earlier = candidates_of(drafts, tail.conversation, store, tail.turns[0].seq) if tail.node_count else ()
        return merged_tail(drafts, earlier, tail.turns, node_idx=tail.node_count, settings=settings)

    loss = f"the open tail of conversation {tail.conversation} has no anchors"
    return or_plain(by_rules, lambda: NOTHING_FOUND, total=total, loss=loss)
