"""Ring for what is ready or due and was not rung for: lost bells, dead workers, lost messages.

Run by every drain's process and by a timer in every worker, so that nothing depends on a single scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from turnfold.contract.records import JobId
from turnfold_worker.ports import Inbox, Publisher, Read, Store

FOLDS_AT_ONCE: Final = 500
MOST_WAITING: Final = 1_000
"""Messages for those who fold from which a sweep adds none: what is due is behind them, and stays due."""


READS_AT_ONCE: Final = 500


class DueRefines(Protocol):
    """Where due refine jobs are found."""

    def count_reads(self, reads: Sequence[Read]) -> None:
        """Count expansions; the jobs of those nodes come sooner."""

    def due_refines(self, most: int) -> list[JobId]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep rang for."""

    shards: int
    folds: int
    refines: int = 0


def sweep(*, inbox: Inbox, store: Store, publisher: Publisher, refines: DueRefines | None = None) -> Swept:
    """Publish drains of shards that hold something and whose bell is silent, erasures, due folds and refinements.

    Without `refines` nobody refines here, and their jobs wait.
    """
    shards = 0
    for shard in inbox.waiting():
        if inbox.ring_bell(shard):
            publisher.drain(shard)
            shards += 1
        if inbox.forgotten(shard, 1):
            publisher.erase(shard)
    folds = _sweep_folds(store, publisher)
    if refines is None:
        return Swept(shards=shards, folds=folds)
    refines.count_reads(inbox.take_reads(READS_AT_ONCE))
    return Swept(shards=shards, folds=folds, refines=_sweep_refines(refines, publisher))


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
