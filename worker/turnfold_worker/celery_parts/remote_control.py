"""What a worker does for whoever can write to the broker: it answers questions, and takes no orders.

Flower's pages, `celery inspect ping`, `turnfold status` and `turnfold doctor` ask. Nothing of Turnfold orders: a worker
stops by a signal. So of the ids that orders are checked against, which Celery keeps 50,000 of, a few will do.
"""

from __future__ import annotations

from typing import Any, Final

ANSWERED: Final = frozenset({
    "active", "active_queues", "clock", "conf", "disable_events", "enable_events", "heartbeat", "hello", "ping",
    "query_task", "registered", "reserved", "revoked", "scheduled", "stats",
})  # fmt: skip
"""Celery's commands that change nothing but whether events are sent, which Flower turns on."""

MOST_EXPIRED: Final = 1_000
"""Ids of messages that came too late which a worker's main process keeps: .3 KB each, and nobody asks for them."""


def take_no_orders(**_: Any) -> None:
    """Forget the other commands of this process: a receiver of Celery's `celeryd_init`."""
    from celery.worker import state
    from celery.worker.control import Panel

    # Celery counts a message that expired as one that was revoked, and forgets none for three hours.
    state.revoked.maxlen = MOST_EXPIRED

    for name in Panel.data.keys() - ANSWERED:
        del Panel.data[name]
