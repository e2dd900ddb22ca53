"""The doorbell: Celery messages that wake workers. A lost one costs seconds, never a turn.

Published by producers with `TURNFOLD_CELERY_DOORBELL`, and by workers on behalf of rings in Redis.
"""

from __future__ import annotations

import logging
import queue
import threading
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract.tasks import QUEUE_OF, Queue, Task, shown

if TYPE_CHECKING:
    from celery import Celery

_log = logging.getLogger(__name__)
_STOP = None

MOST_MESSAGES: Final = 100
"""Queue length above which no messages are added: its workers are down or busy, and more messages would not help."""
EXPIRES_SECONDS: Final = 60.0
"""Expiry of a message that no worker has received: a sweep has sent another by then."""
_NOT_FOUND: Final = "404"


class Doorbell:
    """Publishes from a background thread: the first publish imports Celery, and a broker may be slow or down."""

    def __init__(self, broker_url: str, *, timeout_seconds: float) -> None:
        self._broker_url = broker_url
        self._timeout_seconds = timeout_seconds
        self._waiting: queue.Queue[tuple[Task, tuple[int, ...]] | None] = queue.Queue(maxsize=1_000)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0
        """Rings that could not be published; the workers' timer makes up for them."""

    def ring(self, task: Task, *arguments: int) -> None:
        """Request `task` for a shard or other numeric arguments; returns at once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="turnfold-doorbell", daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait((task, arguments))
        except queue.Full:
            self.dropped += 1

    def close(self, timeout_seconds: float = 1.0) -> None:
        """Publish pending messages, for at most `timeout_seconds`, and stop."""
        thread = self._thread
        if thread is None:
            return
        try:
            self._waiting.put_nowait(_STOP)
        except queue.Full:
            return
        thread.join(timeout_seconds)

    def _run(self) -> None:
        publisher = CeleryPublisher(producer_app(self._broker_url, timeout_seconds=self._timeout_seconds))
        while (item := self._waiting.get()) is not _STOP:
            task, arguments = item
            try:
                if not publisher.publish(task, *arguments, expires_seconds=EXPIRES_SECONDS):
                    self.dropped += 1
            except Exception as error:  # noqa: BLE001 - a lost ring must never hurt the producer
                self.dropped += 1
                _log.warning("doorbell for %s was not published: %s", shown(task, *arguments), type(error).__name__)
        publisher.close()


def producer_app(broker_url: str, *, timeout_seconds: float) -> Celery:
    """Create a Celery app that only publishes, and gives up at once, as sweeps repeat its messages."""
    from celery import Celery

    app = Celery("turnfold-producer", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        broker_transport_options={
            "max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0,
            "socket_timeout": timeout_seconds, "socket_connect_timeout": timeout_seconds, "priority_steps": [0],
        },
    )  # fmt: skip
    return app


class CeleryPublisher:
    """Sends tasks by name from one thread, over a connection that is kept open until a call fails."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._connection: Any = None
        self._asking: Any = None
        """Channel for queries of queue lengths.

        RabbitMQ closes a channel that queries a missing queue. On Redis, where an empty queue is missing too, the
        channel stays open, and a new one would take two connections.
        """

    def publish(self, task: Task, *arguments: int, expires_seconds: float) -> bool:
        """Send one message, without retries; False if its queue is at `MOST_MESSAGES`.

        Raises kombu's and the transport's errors.
        """
        try:
            if self.length(QUEUE_OF[task]) >= MOST_MESSAGES:
                return False
            self._app.send_task(
                str(task), args=arguments, queue=str(QUEUE_OF[task]), argsrepr=shown(task, *arguments),
                expires=expires_seconds, ignore_result=True, retry=False, connection=self._opened(),
            )  # fmt: skip
        except Exception:
            self.close()
            raise
        return True

    def length(self, queue: Queue) -> int:
        """Return the number of messages in a queue. Raises kombu's `OperationalError`."""
        if self._asking is None:
            self._asking = self._opened().channel()
        length = queue_length(self._opened(), self._asking, queue)
        if length is None and getattr(self._asking, "closed", True):
            self._asking = None
        return length or 0

    def close(self) -> None:
        connection, self._connection, self._asking = self._connection, None, None
        if connection is not None:
            connection.close()

    def _opened(self) -> Any:
        if self._connection is None:
            # Not from Celery's pool: kombu shares pools between apps, and closing one closes it for all.
            self._connection = self._app.connection_for_write()
        return self._connection


def queue_length(connection: Any, channel: Any, queue: Queue) -> int | None:
    """Return the number of messages in a queue, by a passive declaration; None if the queue does not exist.

    Raises kombu's `OperationalError` if the broker does not answer.
    """
    from kombu.exceptions import ChannelError, OperationalError

    try:
        return int(channel.queue_declare(queue=str(queue), passive=True).message_count)
    except ChannelError as error:
        if str(getattr(error, "reply_code", "")) == _NOT_FOUND:
            return None
        raise OperationalError(type(error).__name__) from error
    except (*connection.connection_errors, *connection.channel_errors) as error:
        raise OperationalError(type(error).__name__) from error
