"""Remote control of a worker by anyone who can write to the broker: it answers queries and accepts no commands.

Flower's pages, `celery inspect ping`, `turnfold status` and `turnfold doctor` send queries. Nothing in Turnfold sends
commands: a worker is stopped by a signal. So few of the revoked ids that commands are checked against, of which Celery
keeps 50,000, are needed.
"""

from __future__ import annotations

from typing import Any, Final

ANSWERED: Final = frozenset({
    "active", "active_queues", "clock", "conf", "disable_events", "enable_events", "heartbeat", "hello", "ping",
    "query_task", "registered", "reserved", "revoked", "scheduled", "stats",
})  # fmt: skip
"""Celery's commands that change nothing except whether events are sent, which Flower turns on."""

MOST_EXPIRED: Final = 1_000
"""Ids of expired messages that a worker's main process keeps, .3 KB each; nothing reads them."""


def take_no_orders(**_: Any) -> None:
    """Remove all other commands of this process: a receiver of Celery's `celeryd_init`."""
    from celery.worker import state
    from celery.worker.control import Panel

    # Celery counts an expired message as revoked, and forgets none for three hours.
    state.revoked.maxlen = MOST_EXPIRED

    for name in Panel.data.keys() - ANSWERED:
        del Panel.data[name]
