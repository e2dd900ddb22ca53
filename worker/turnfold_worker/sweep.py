"""Ring for what is ready or due and was not rung for: lost bells, dead workers, lost messages.

Run by every drain's process and by a timer in every worker, so that nothing depends on a single scheduler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from turnfold.contract.records import JobId
from turnfold_worker.ports import Inbox, Publisher, Store

FOLDS_AT_ONCE: Final = 2_000
EXPANSIONS_AT_ONCE: Final = 20
"""Conversations of each shard whose expansions one sweep counts."""
MOST_WAITING: Final = 4_000
"""Messages for those who fold from which a sweep adds none: what is due is behind them, and stays due.

Above what drains fill the queue with: so there is always room for the tenants that they have not told of.
"""


class DueRefines(Protocol):
    """Where due refine jobs are found."""

    def due_refines(self, most: int) -> list[JobId]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep rang for."""

    shards: int
    folds: int
    refines: int = 0


def sweep(*, inbox: Inbox, store: Store, publisher: Publisher, refines: DueRefines | None = None) -> Swept:
    """Publish drains of shards that hold something and whose bell is silent, erasures, due folds and refinements.

    What was looked up meanwhile is counted here: a few short transactions, and none where nothing was. Without
    `refines` nobody refines here, and their jobs wait.
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
    folds = _sweep_folds(store, publisher)
    return Swept(shards=shards, folds=folds, refines=0 if refines is None else _sweep_refines(refines, publisher))


def _sweep_folds(store: Store, publisher: Publisher) -> int:
    room = min(FOLDS_AT_ONCE, MOST_WAITING - publisher.backlog())
    if room <= 0:
        return 0
    folds = store.due_folds(room)
    for conversation in folds:
        publisher.compress(conversation)
    again = store.due_refolds(room)
    for job in again:
        publisher.refold(job)
    return len(folds) + len(again)


def _sweep_refines(refines: DueRefines, publisher: Publisher) -> int:
    room = min(FOLDS_AT_ONCE, MOST_WAITING - publisher.refine_backlog())
    jobs = refines.due_refines(room) if room > 0 else []
    for job in jobs:
        publisher.refine(job)
    return len(jobs)
