"""The producer's end of Celery: a message that wakes a worker. Losing one costs seconds, never a turn."""

from __future__ import annotations

import logging
import queue
import threading
from typing import TYPE_CHECKING

from turnfold.contract.tasks import QUEUE_OF, Task, shown

if TYPE_CHECKING:
    from celery import Celery

_log = logging.getLogger(__name__)
_STOP = None


class Doorbell:
    """Publishes on a thread of its own: the first publish imports Celery, and a broker may be slow or away."""

    def __init__(self, broker_url: str, *, timeout_seconds: float) -> None:
        self._broker_url = broker_url
        self._timeout_seconds = timeout_seconds
        self._waiting: queue.Queue[tuple[Task, tuple[int, ...]] | None] = queue.Queue(maxsize=1_000)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0
        """Rings that could not be published; the workers' timer makes up for them."""

    def ring(self, task: Task, *arguments: int) -> None:
        """Ask for `task` on a shard, or on what its numbers say; returns at once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="turnfold-doorbell", daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait((task, arguments))
        except queue.Full:
            self.dropped += 1

    def close(self, timeout_seconds: float = 1.0) -> None:
        """Publish what waits, for at most `timeout_seconds`, and stop."""
        thread = self._thread
        if thread is None:
            return
        try:
            self._waiting.put_nowait(_STOP)
        except queue.Full:
            return
        thread.join(timeout_seconds)

    def _run(self) -> None:
        app = producer_app(self._broker_url, timeout_seconds=self._timeout_seconds)
        while (item := self._waiting.get()) is not _STOP:
            task, arguments = item
            try:
                publish(app, task, *arguments)
            except Exception as error:  # noqa: BLE001 - a lost ring must never hurt the producer
                self.dropped += 1
                _log.warning("doorbell for %s was not published: %s", shown(task, *arguments), type(error).__name__)


def producer_app(broker_url: str, *, timeout_seconds: float) -> Celery:
    """A Celery app that only publishes, and gives up at once: its messages are repeated by others."""
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


def publish(app: Celery, task: Task, *arguments: int) -> None:
    """Send one task by name, without retries."""
    app.send_task(
        str(task), args=arguments, queue=str(QUEUE_OF[task]), argsrepr=shown(task, *arguments), ignore_result=True,
        retry=False,
    )  # fmt: skip
