"""Due work, whichever task asks: a message names no job; its task does the next job, tenant by tenant.

So no queue holds more than a few messages, a lost message loses no work, and no tenant waits behind all jobs of
another. While more is due each task rings for the next one, until all processes are busy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import JobKind
from turnfold.telemetry import CONVERSATION_NUMBER, memory_span
from turnfold_worker.errors import Retryable
from turnfold_worker.ports.storage import Inbox, Publisher, SentenceEmbedder
from turnfold_worker.use_cases.fold import CompressLimits, fold_claimed
from turnfold_worker.use_cases.refold import refold

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore
    from turnfold_worker.use_cases.refine import Refining


@dataclass(frozen=True, slots=True)
class Folded:
    """The conversations that one task folded."""

    conversations: Sequence[ConversationId]
    segments: int
    """Number of segments closed."""


def ring(kind: JobKind, *, inbox: Inbox, publisher: Publisher) -> None:
    """Publish that jobs of a kind are due, unless that was published a moment ago."""
    if inbox.ring_jobs(kind):
        publisher.work(kind)


def fold_due(
    hurried: ConversationId | None,
    *,
    inbox: Inbox,
    store: SqlStore,
    publisher: Publisher,
    limits: CompressLimits,
    clock: Callable[[], float],
    embedder: SentenceEmbedder | None = None,
) -> Folded:
    """Fold due conversations until the time slice is over; `hurried` becomes due now."""
    end = clock() + limits.slice_seconds
    inbox.silence_jobs(JobKind.COMPRESS)
    claimed = store.claim_folds(hurried)
    if claimed.more:
        try:
            ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
        except Retryable:
            # Returned, so that other workers need not wait until the leases end.
            with suppress(Retryable):
                store.return_folds(claimed.claims)
            raise
    folded: list[ConversationId] = []
    segments = 0
    for place, claim in enumerate(claimed.claims):
        if place and clock() > end:
            store.return_folds(claimed.claims[place:])
            break
        try:
            with memory_span("upsert_memory", "fold", {CONVERSATION_NUMBER: claim.conversation}) as span:
                closed = fold_claimed(claim, store=store, limits=limits, clock=clock, embedder=embedder)
                if span is not None:
                    span.set_attribute("turnfold.segments", closed)
            segments += closed
        except Retryable:
            with suppress(Retryable):
                store.return_folds(claimed.claims[place + 1 :])
            raise
        folded.append(claim.conversation)
    if clock() > end and store.has_due(JobKind.COMPRESS):
        # Jobs that became due again may not have been rung for.
        ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
    return Folded(folded, segments)


def refold_due(
    *, inbox: Inbox, store: SqlStore, publisher: Publisher, embedder: SentenceEmbedder | None = None
) -> bool | None:
    """Fold the next due segment again; returns what `refold` returns."""
    inbox.silence_jobs(JobKind.REFOLD)
    written = refold(store=store, embedder=embedder)
    if written:
        ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
    if store.has_due(JobKind.REFOLD):
        ring(JobKind.REFOLD, inbox=inbox, publisher=publisher)
    return written


def refine_due(*, inbox: Inbox, publisher: Publisher, refining: Refining) -> str:
    """Do the next due refine job; returns what `refine` returns."""
    # Imported only where a model is configured, as in `wiring`.
    from turnfold_worker.use_cases.refine import refine

    inbox.silence_jobs(JobKind.REFINE)
    if refining.store.has_due():
        ring(JobKind.REFINE, inbox=inbox, publisher=publisher)
    return refine(refining=refining)
