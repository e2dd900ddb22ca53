"""Redis as Celery's broker, without what any writer to it could do: end a worker by a message that nobody can read.

kombu raises from its event loop for an entry of a queue that is no message, which ends the worker's main process, and
the next one's. Here it is dropped and logged: a message is a wake-up, and no work is lost with one.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, redis

_log = logging.getLogger(__name__)

_SCHEMES: Final = ("redis", "rediss")


def register() -> None:
    """Let brokers of Redis be read by `Transport`, in this process."""
    for scheme in _SCHEMES:
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"


class _Channel(redis.Channel):
    def _brpop_read(self, **options: Any) -> bool | None:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-any-return, no-untyped-call]  # kombu has no types
        except ValueError as error:
            # No JSON, or no UTF-8: it has left its queue already.
            _dropped(error)
            return True


class Transport(redis.Transport):
    """kombu's, but for messages that cannot be read."""

    Channel = _Channel

    def _deliver(self, message: Any, queue: str) -> None:
        try:
            # What the channel does with it next, before it counts it as one to be acknowledged.
            self.Channel.Message(message, channel=self.channels[0])  # type: ignore[no-untyped-call]
            json.dumps(message["properties"]["delivery_tag"] + message["properties"]["delivery_info"]["routing_key"])
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is not for us
            _dropped(error)
        else:
            super()._deliver(message, queue)  # type: ignore[no-untyped-call]


def _dropped(error: Exception) -> None:
    _log.error("a message that cannot be read was dropped: %s", type(error).__name__)
