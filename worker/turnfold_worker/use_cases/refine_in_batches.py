"""Refine through a provider's batches: half the price, within a day. A batch only fills the reply cache.

Jobs whose requests are in a batch wait; once the replies are there, the jobs become due and find every reply in the
cache. Requests that a batch could not answer are made again as single calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import ConversationId, JobId
from turnfold_worker.errors import Retryable
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.ports.models import ModelReply
from turnfold_worker.use_cases.model_calls import NoRedaction, Redactor
from turnfold_worker.use_cases.refine import Prompts, question_of

if TYPE_CHECKING:
    from turnfold_worker.adapters.openai.batches import OpenAIBatches
    from turnfold_worker.adapters.sql.batches import SqlBatches
    from turnfold_worker.adapters.sql.ledger import SqlLedger

REQUESTS_A_BATCH: Final = 2_000
POLL_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class BatchedReply:
    """The reply of a batch to one request."""

    conversation: ConversationId
    request_hash: str
    purpose: str
    """First letter of the purpose: the model's name does not tell, since a provider names models in its own way."""
    reply: ModelReply


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """The dependencies of batches."""

    store: SqlBatches
    ledger: SqlLedger
    provider: OpenAIBatches
    prompts: Prompts
    redactor: Redactor | None = None


def submit(tenant: str, conversation: ConversationId | None, *, batching: Batching) -> int:
    """Submit the requests of all due jobs in batches; return how many. Batches already running go on.

    Raises the errors of the provider, and `ModelWaits` at a cap; jobs in no batch are then due as before.
    """
    submitted = 0
    while jobs := batching.store.take_for_batch(tenant, conversation, REQUESTS_A_BATCH):
        try:
            submitted += _submit(tenant, jobs, batching)
        except BaseException:
            # Otherwise they would wait for a batch that does not exist.
            with suppress(Retryable):
                batching.store.give_back(jobs)
            raise
    return submitted


def _submit(tenant: str, jobs: Sequence[JobId], batching: Batching) -> int:
    requests = _requests(jobs, batching)
    if requests:
        batch = batching.provider.submit(requests)
        batching.store.add_batch(tenant, batch, len(requests))
    return len(requests)


def _requests(jobs: Sequence[JobId], batching: Batching) -> dict[str, ModelRequest]:
    """Return the requests without a cached reply, by conversation and hash."""
    requests: dict[str, ModelRequest] = {}
    redactor = batching.redactor or NoRedaction()
    for job in jobs:
        owned = batching.store.batch_group(job)
        request = None if owned is None else question_of(owned[1].source, batching.store.target, batching.prompts)
        if owned is None or request is None:
            continue
        owner = owned[0]
        hidden, _ = redactor.hide(request)
        if batching.ledger.cached(owner, hidden) is None:
            # Caps are checked, though the usage of a batch is only known when it ends.
            batching.ledger.release(batching.ledger.reserve(owner, hidden), failed=False)
            requests[f"{owner.conversation}-{hidden.hash}-{hidden.purpose[0]}"] = hidden
    return requests


def collect(tenant: str, *, batching: Batching, told: Callable[[int, int], None]) -> None:
    """Wait for the open batches and store their replies; `told` gets the numbers of answered and open requests."""
    kept = 0
    while batches := batching.store.open_batches(tenant):
        ended = False
        for batch, _ in batches:
            if batching.provider.done(batch):
                kept += _keep(batch, batching)
                batching.store.end_batch(batch)
                ended = True
        told(kept, sum(requests for _, requests in batching.store.open_batches(tenant)))
        if not ended:
            time.sleep(POLL_SECONDS)
    batching.store.release_batched(tenant)


def _keep(batch: str, batching: Batching) -> int:
    kept, target = 0, batching.store.target
    for reply in batching.provider.replies(batch):
        owner = batching.store.owner(reply.conversation)
        model = target.extract_model if reply.purpose == Purpose.NOTES[0] else target.summarize_model
        if owner is not None:
            kept += batching.ledger.settle_batch(owner, reply.request_hash, model, reply.reply)
    return kept
