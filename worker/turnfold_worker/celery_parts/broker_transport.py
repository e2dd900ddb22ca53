"""Redis as Celery's broker, hardened: an unreadable message does not end a worker.

kombu raises from its event loop for a queue entry that is not a message, which ends the worker's main process, and the
next one's. Here the entry is dropped and logged: a message is a wake-up, and no work is lost with it. And kombu keeps
every lost connection, with its memory and a file descriptor. Here the next connection replaces it.
"""

from __future__ import annotations

import gc
import json
import logging
from base64 import b64encode
from datetime import datetime
from typing import Any, ClassVar, Final

from kombu.transport import redis

from turnfold.contract.tasks import Queue

_log = logging.getLogger(__name__)

_OURS: Final = frozenset(map(str, Queue))
_NOTHING_AFTER: Final = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


class _Channel(redis.Channel):
    def _brpop_read(self, **options: Any) -> bool | None:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-any-return, no-untyped-call]  # kombu has no types
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            # No JSON, no UTF-8, nested too deep, or a wrong type: the entry has left its queue already.
            _dropped(error)
            return True


class Transport(redis.Transport):
    """The kombu transport, except that unreadable messages are dropped."""

    Channel = _Channel
    _polls: ClassVar[set[Any]] = set()
    """Callbacks of the event loop for the newest connection."""

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Let the loop poll for this connection, and no longer for the one before it."""
        loop.on_tick -= self._polls
        others = set(loop.on_tick)
        super().register_with_event_loop(connection, loop)  # type: ignore[no-untyped-call]
        self._polls.clear()
        self._polls.update(loop.on_tick - others)
        # Collected now: an idle worker creates so few objects that the next full collection may be hours away.
        gc.collect()

    def _deliver(self, message: Any, queue: str) -> None:
        try:
            # Before the channel counts the message as one to be acknowledged, which would never happen.
            channel = self.channels[0]
            envelope = self.Channel.Message(message, channel=channel)  # type: ignore[no-untyped-call]
            if queue in _OURS:
                message = _plain(envelope)
        except Exception as error:  # noqa: BLE001 - malformed in any way, it is not for us
            _dropped(error)
            return
        super()._deliver(message, queue)  # type: ignore[no-untyped-call]


def _plain(message: Any) -> dict[str, Any]:
    """Return a task with the fields that ours have, in Celery's protocol 2, and nothing else that Celery would act on.

    Raises for anything but a task in JSON.
    """
    headers, info = message.headers, message.delivery_info
    arguments, named, _ = json.loads(message.body)
    if message.content_type != "application/json":
        raise TypeError("no JSON")
    expires = headers.get("expires")
    redelivered = bool(info.get("redelivered"))
    told = {name: str(headers.get(name)) for name in ("argsrepr", "kwargsrepr", "origin")}
    return {
        "body": b64encode(json.dumps([_is(list, arguments), _is(dict, named), _NOTHING_AFTER]).encode()).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {
            "lang": "py", "task": _is(str, headers["task"]), "id": _is(str, headers["id"]), "root_id": headers["id"],
            "parent_id": None, "group": None, "eta": None, "retries": 0, "timelimit": [None, None],
            "expires": datetime.fromisoformat(expires).isoformat() if expires else None, "ignore_result": True, **told,
            "redelivered": redelivered,
        },
        "properties": {
            "body_encoding": "base64", "delivery_mode": 2, "priority": 0, "correlation_id": headers["id"],
            "reply_to": "",
            "delivery_tag": _is(str, message.delivery_tag),
            "delivery_info": {"exchange": "", "routing_key": _is(str, info["routing_key"]), "redelivered": redelivered},
        },
    }  # fmt: skip


def _is(kind: type, value: object) -> object:
    if not isinstance(value, kind):
        raise TypeError(f"a {type(value).__name__} instead of a {kind.__name__}")
    return value


def _dropped(error: Exception) -> None:
    _log.error("an unreadable message was dropped: %s", type(error).__name__)
