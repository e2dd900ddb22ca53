"""Ring for ready inboxes and due jobs that were not rung for: lost rings, dead workers, lost messages.

Run by every process that drains and by a timer in every worker, so that nothing depends on a single scheduler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from turnfold.contract.tasks import JobKind
from turnfold_worker.ports.storage import Inbox, Publisher
from turnfold_worker.use_cases.due_jobs import ring
from turnfold_worker.use_cases.remnants import clear_remnants

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.refinements import SqlRefinements
    from turnfold_worker.adapters.sql.store import SqlStore

EXPANSIONS_AT_ONCE: Final = 20
"""Conversations per shard whose expansions one sweep counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """The shards and jobs that one sweep rang for."""

    shards: int = 0
    jobs: tuple[JobKind, ...] = ()


def sweep(*, inbox: Inbox, store: SqlStore, publisher: Publisher, refines: SqlRefinements | None = None) -> Swept:
    """Publish drains of non-empty shards whose bell is silent, erasures, and rings for due jobs.

    Also counts new expansions into SQL: a few short transactions, and none where there were no expansions. Without
    `refines` no refine job is rung for.
    """
    shards = 0
    for shard in inbox.waiting():
        if inbox.ring_bell(shard):
            publisher.drain(shard)
            shards += 1
        if inbox.forgotten(shard, 1):
            publisher.erase(shard)
    for expansions in inbox.take_expansions(EXPANSIONS_AT_ONCE):
        store.count_expansions(expansions)
    store.ripen()
    clear_remnants(inbox=inbox, store=store)
    store.shorten_log()
    due = [kind for kind in (JobKind.COMPRESS, JobKind.REFOLD) if store.has_due(kind)]
    if refines is not None and refines.has_due():
        due.append(JobKind.REFINE)
    for kind in due:
        ring(kind, inbox=inbox, publisher=publisher)
    return Swept(shards=shards, jobs=tuple(due))
