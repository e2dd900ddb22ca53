"""What a worker does for whoever can write to the broker: it answers questions, and takes no orders.

Flower's pages, `celery inspect ping`, `turnfold status` and `turnfold doctor` ask. Nothing of Turnfold orders: a worker
stops by a signal.
"""

from __future__ import annotations

from typing import Any, Final

ANSWERED: Final = frozenset({
    "active", "active_queues", "clock", "conf", "disable_events", "enable_events", "heartbeat", "hello", "ping",
    "query_task", "registered", "reserved", "revoked", "scheduled", "stats",
})  # fmt: skip
"""Celery's commands that change nothing but whether events are sent, which Flower turns on."""


def take_no_orders(**_: Any) -> None:
    """Forget the other commands of this process: a receiver of Celery's `celeryd_init`."""
    from celery.worker.control import Panel

    for name in Panel.data.keys() - ANSWERED:
        del Panel.data[name]
