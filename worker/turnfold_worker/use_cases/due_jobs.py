"""What is due, whoever is told: a message names no job, and whoever takes it does what comes next, tenant by tenant.

So no queue holds more than a few messages, a lost one loses no work, and nobody's jobs stand behind all of another's.
As long as more is due each task tells the next one: that is how all processes come to work.
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
    """What one task folded."""

    conversations: Sequence[ConversationId]
    segments: int
    """Closed by that."""


def ring(kind: JobKind, *, inbox: Inbox, publisher: Publisher) -> None:
    """Tell somebody that jobs of a kind are due, unless somebody was told a moment ago."""
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
    """Fold some of the conversations that are due, until the time slice is over; `hurried` is due from now on."""
    end = clock() + limits.slice_seconds
    inbox.silence_jobs(JobKind.COMPRESS)
    claimed = store.claim_folds(hurried)
    if claimed.more:
        try:
            ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
        except Retryable:
            # Nobody folds these now: others need not wait for the end of their leases.
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
        # Of what is due again nobody may have been told.
        ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
    return Folded(folded, segments)


def refold_due(
    *, inbox: Inbox, store: SqlStore, publisher: Publisher, embedder: SentenceEmbedder | None = None
) -> bool | None:
    """Fold one closed segment again of those that are due; as of `refold`."""
    inbox.silence_jobs(JobKind.REFOLD)
    written = refold(store=store, embedder=embedder)
    if written:
        ring(JobKind.COMPRESS, inbox=inbox, publisher=publisher)
    if store.has_due(JobKind.REFOLD):
        ring(JobKind.REFOLD, inbox=inbox, publisher=publisher)
    return written


def refine_due(*, inbox: Inbox, publisher: Publisher, refining: Refining) -> str:
    """Do the next refine job of those that are due; as of `refine`."""
    # Imported where a model is configured, as `wiring` does.
    from turnfold_worker.use_cases.refine import refine

    inbox.silence_jobs(JobKind.REFINE)
    if refining.store.has_due():
        ring(JobKind.REFINE, inbox=inbox, publisher=publisher)
    return refine(refining=refining)
