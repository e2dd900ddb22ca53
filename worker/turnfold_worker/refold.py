"""A closed segment, folded again by the rules: after it got plain words, or a turn of it became readable later.

Boundaries stay. What is written replaces the segment and every chapter above it in one transaction, guarded like a
fold's, and makes folds under way start over: their chapters and anchors may rest on what is replaced.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final

from turnfold.contract.records import FAN_OUT, JobId
from turnfold_worker.compress import candidates_of, for_the_head, meanings
from turnfold_worker.errors import Retryable, where
from turnfold_worker.exchange import ClosedSegment, Refold, RefoldClaim
from turnfold_worker.meanings import meant_by, vectors_of
from turnfold_worker.pipeline.deduplicate import merge_into_past
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, said_after
from turnfold_worker.pipeline.roll_up import roll_up
from turnfold_worker.pipeline.settings import settings_at
from turnfold_worker.ports import SentenceEmbedder, Store

_log = logging.getLogger(__name__)

TRIES: Final = 20
"""Times that one task starts over because the conversation moved on; then the job waits for the next sweep."""


def refold(job: JobId, *, store: Store, embedder: SentenceEmbedder | None = None) -> bool:
    """Fold the segment of a due job again; True when it was written. A failure parks the job with its error."""
    claim = store.claim_refold(job)
    if claim is None:
        return False
    try:
        return _refold(claim, store, embedder)
    except Retryable:
        with suppress(Retryable):
            store.release_refold(claim, error=None)
        raise
    except Exception as error:  # noqa: BLE001 - one segment is kept from hurting its neighbours
        _log.error(
            "folding segment %s of conversation %s again failed: %s", claim.idx, claim.conversation, where(error)
        )
        store.release_refold(claim, error=where(error))
        return False


def _refold(claim: RefoldClaim, store: Store, embedder: SentenceEmbedder | None) -> bool:
    for _ in range(TRIES):
        segment = store.closed_segment(claim.conversation, claim.idx)
        if segment is None:
            return False
        if store.commit_refold(refolded(claim.job, segment, store, embedder)):
            return True
    store.release_refold(claim, error=None)
    return False


def refolded(job: JobId, segment: ClosedSegment, store: Store, embedder: SentenceEmbedder | None = None) -> Refold:
    """The segment by the rules, its new anchors merged into those around it, and the chapters above it."""
    settings = settings_at(segment.configurations, segment.turns[0].seq)
    said = said_after(segment.said_before, segment.turns)
    vectors = {} if embedder is None else vectors_of(segment.conversation, segment.turns, store, embedder)
    folded = fold_segment(
        segment.turns, idx=segment.idx, settings=settings, before=segment.before, said=said,
        vectors=for_the_head(vectors, embedder),
    )  # fmt: skip
    known = {(one.turn_seq, one.start, one.end, one.type) for one in segment.anchors}
    drafts = [one for one in folded.drafts if (one.turn_seq, one.start, one.end, one.type) not in known]
    candidates = candidates_of(drafts, segment.conversation, store, segment.turns[0].seq)
    merged = merge_into_past(
        drafts, candidates, next_id=segment.next_anchor, node_idx=segment.idx, settings=settings,
        vectors=meanings(drafts, candidates, segment.conversation, store, embedder),
    )  # fmt: skip
    meant = None
    if embedder is not None and folded.passages:
        meant = meant_by(folded, vectors, embedder)
    return Refold(
        job=job, segment=segment, nodes=[folded, *_ancestors(segment, folded, store)], anchors=merged.new,
        changes=merged.changed, meant=meant,
    )  # fmt: skip


def _ancestors(segment: ClosedSegment, folded: FoldedNode, store: Store) -> list[FoldedNode]:
    """Every chapter above the segment that exists, each from its children's own words."""
    ancestors: list[FoldedNode] = []
    last = folded
    while True:
        height, idx = last.node.height + 1, last.node.idx // FAN_OUT
        children = store.siblings(segment.conversation, height - 1, idx * FAN_OUT, idx * FAN_OUT + FAN_OUT - 1)
        if len(children) < FAN_OUT:
            return ancestors
        children[last.node.idx % FAN_OUT] = last
        last = roll_up(children, height=height, idx=idx)
        ancestors.append(last)
