"""Fold a closed segment again by the rules: after it got plain words, or one of its turns became readable later.

Boundaries stay. The result replaces the segment and every chapter above it in one transaction, guarded like a fold's,
and makes running folds start over: their chapters and anchors may rest on replaced rows.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import Anchor, AnchorChange, AnchorType, JobId
from turnfold.telemetry import CONVERSATION_NUMBER, memory_span
from turnfold_worker.errors import Retryable, where
from turnfold_worker.pipeline.anchors.deduplicate import merge_into_past, settle_again, sought_terms
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, said_after
from turnfold_worker.pipeline.roll_up import chapters_above
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.ports.messages import ClosedSegment, Refold, RefoldClaim
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.use_cases.earlier import candidates_of, earlier_turns
from turnfold_worker.use_cases.embed import anchor_vectors_of, meant_by, vectors_of

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore

_log = logging.getLogger(__name__)

TRIES: Final = 20
"""Times that one task starts over because the conversation changed; then the job is due again, behind others."""


def refold(*, store: SqlStore, embedder: SentenceEmbedder | None = None) -> bool | None:
    """Fold the segment of the next due job again; True when it was written, None when no job was due.

    A failure parks the job with its error. The conversation's fold is due afterwards: the open tail may change anchors
    that the segment has now.
    """
    claim = store.claim_refold()
    if claim is None:
        return None
    try:
        with memory_span("upsert_memory", "refold", {CONVERSATION_NUMBER: claim.conversation}):
            return _refold(claim, store, embedder)
    except Retryable:
        with suppress(Retryable):
            store.release_refold(claim, error=None)
        raise
    except Exception as error:  # noqa: BLE001 - one segment is kept from hurting its neighbours
        _log.error("refolding segment %s of conversation %s failed: %s", claim.idx, claim.conversation, where(error))
        store.release_refold(claim, error=where(error))
        return False


def _refold(claim: RefoldClaim, store: SqlStore, embedder: SentenceEmbedder | None) -> bool:
    for _ in range(TRIES):
        segment = store.closed_segment(claim.conversation, claim.idx)
        if segment is None:
            return False
        if store.commit_refold(refolded(claim.job, segment, store, embedder)):
            return True
    store.release_refold(claim, error=None)
    return False


def refolded(job: JobId, segment: ClosedSegment, store: SqlStore, embedder: SentenceEmbedder | None = None) -> Refold:
    """Compute the segment by the rules, its new anchors merged into the earlier ones, and the chapters above it."""
    settings = segment.settings
    vectors = {} if embedder is None else vectors_of(segment.conversation, segment.turns, store, embedder)
    folded = folded_by_rules(segment, store)
    known = {_span(anchor): anchor for anchor in segment.anchors}
    drafts_by_span = {_span(anchor): anchor for anchor in folded.drafts}
    drafts = [anchor for anchor in folded.drafts if _span(anchor) not in known]
    stale = {anchor.id for span, anchor in known.items() if span not in drafts_by_span} - segment.by_hand
    candidates = candidates_of(drafts, segment.conversation, store, segment.turns[0].seq)
    merged = merge_into_past(
        drafts, candidates, next_id=segment.next_anchor, node_idx=segment.idx, settings=settings,
        vectors=anchor_vectors_of(drafts, candidates, segment.conversation, store, embedder),
    )  # fmt: skip
    loose = [anchor for anchor in segment.loose if anchor.id not in stale]
    changes = {change.id: change for change in merged.changed if change.id not in stale}
    for change in _relinked(loose, [*merged.new], changes, segment, settings, store):
        changes.setdefault(change.id, change)
    siblings = partial(store.siblings, segment.conversation)
    return Refold(
        job=job, segment=segment, nodes=[folded, *chapters_above(folded, siblings)], anchors=merged.new,
        changes=[changes[id_] for id_ in sorted(changes)], stale=frozenset(stale),
        weighed=[
            replace(anchor, score=drafts_by_span[span].score, rank=drafts_by_span[span].rank)
            for span, anchor in known.items() if span in drafts_by_span
        ],
        meant=meant_by(folded, vectors, embedder),
    )  # fmt: skip


def folded_by_rules(segment: ClosedSegment, store: SqlStore) -> FoldedNode:
    """Return a closed segment as the rules fold it."""
    return fold_segment(
        segment.turns, idx=segment.idx, settings=segment.settings,
        before=segment.before, earlier=earlier_turns(segment.turns, segment.conversation, store, segment.idx),
        said=said_after(segment.said_before, segment.turns),
    )  # fmt: skip


def _span(anchor: Anchor | AnchorDraft) -> tuple[int, int, int, AnchorType]:
    return anchor.turn_seq, anchor.start, anchor.end, anchor.type


def _relinked(
    loose: Sequence[Anchor], new: Sequence[Anchor], settled: Container[int], segment: ClosedSegment,
    settings: FoldSettings, store: SqlStore,
) -> Iterator[AnchorChange]:  # fmt: skip
    """Yield changes of anchors that lost their successor and are active again: later anchors may overtake them too."""
    for anchor in loose:
        candidates = store.anchor_candidates(segment.conversation, sought_terms(anchor.text), anchor.turn_seq)
        later = [*(other for other in candidates if other.id not in settled), *new]
        yield from settle_again(anchor, later, settings=settings)
