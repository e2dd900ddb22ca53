"""Ring for what is ready or due and was not rung for: lost bells, dead workers, lost messages.

Run by every drain's process and by a timer in every worker, so that nothing depends on a single scheduler.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnfold_worker.ports import Inbox, Publisher, Store

FOLDS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep rang for."""

    shards: int
    folds: int


def sweep(*, inbox: Inbox, store: Store, publisher: Publisher) -> Swept:
    """Publish drains of shards that hold something and whose bell is silent, erasures, and due folds."""
    shards = 0
    for shard in inbox.waiting():
        if inbox.ring_bell(shard):
            publisher.drain(shard)
            shards += 1
        if inbox.forgotten(shard, 1):
            publisher.erase(shard)
    folds = store.due_folds(FOLDS_AT_ONCE)
    for conversation in folds:
        publisher.compress(conversation)
    return Swept(shards=shards, folds=len(folds))
