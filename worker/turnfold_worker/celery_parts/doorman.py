"""A thread in every worker that waits for rings on the bells of its queues and sends the Celery tasks they ask for.

Producers and workers ring in Redis, where repeated rings are stored once. So work consists of Celery tasks that Flower
shows, and no message is sent while no worker could take it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from celery import bootsteps

from turnfold.contract.rings import Ring
from turnfold.contract.server_urls import urls_of
from turnfold.contract.tasks import Queue, Task
from turnfold.redis.connections import connect
from turnfold_worker.settings import WorkerSettings

if TYPE_CHECKING:
    from tenacity import RetryCallState

    from turnfold.redis.doorbell import CeleryPublisher
    from turnfold_worker.adapters.redis.bell import RungBells

_log = logging.getLogger(__name__)

WAIT_SECONDS: Final = 0.5
"""Timeout of one wait: the longest that a stop has to wait for the thread."""
_LEAST_WAIT: Final = 0.01
LINGER_SECONDS: Final = 0.05
"""From a ring to its message: rings that arrive meanwhile go with it."""
FULL_SECONDS: Final = 1.0
"""Until a queue that had too many messages is polled again; its rings stay in Redis meanwhile."""
LONGEST_PAUSE_SECONDS: Final = 2.0
"""Between two tries while Redis or the broker is away."""
DRAIN_PAUSE_SECONDS: Final = 0.4
"""Longest pause between two drain messages; a drain after a longer pause starts at once.

Reads find unstored turns in Redis, and a drain of ten turns costs little more than one of a single turn.
"""
_DRAIN_SECONDS: Final = 1.0
"""Rough duration of a drain when much waits, so that all processes get a message before the first is done."""
_FOLD_SECONDS: Final = 0.25
"""The same for a task that folds due conversations."""


class Doorman(bootsteps.StartStopStep):
    """Runs in the worker's main process, which only publishes; the pool runs the tasks."""

    # After the pool: only replacement processes are forked while the thread runs.
    requires = {"celery.worker.components:Pool"}  # noqa: RUF012 - Celery's own form

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, parent: Any) -> None:
        served = [queue for queue in Queue if str(queue) in parent.app.amqp.queues.consume_from]
        if served:
            self.begin(parent.app, WorkerSettings.from_env(), served, processes=parent.concurrency)

    def begin(
        self, app: Any, settings: WorkerSettings, queues: Collection[Queue], *, processes: int = 1
    ) -> list[threading.Thread]:
        """Start a thread per server that waits for rings of `queues`, for a pool of `processes`, until `stop`."""
        self._stop.clear()
        self._threads = [
            threading.Thread(
                target=_serve, args=(app, settings, url, queues, pauses_of(processes), self._stop),
                name="turnfold-doorman", daemon=True,
            )
            for url in urls_of(settings.redis_url)
        ]  # fmt: skip
        for thread in self._threads:
            thread.start()
        return self._threads

    def stop(self, parent: Any) -> None:  # noqa: ARG002
        """Publish the rings already taken, and take no more."""
        self._stop.set()
        for thread in self._threads:
            thread.join(WAIT_SECONDS + 1.0)


def pauses_of(processes: int) -> dict[Queue, float]:
    """Return the pause between messages of each queue in seconds: rings are batched, and no process idles.

    >>> pauses_of(2)[Queue.INGEST], pauses_of(2)[Queue.COMPRESS]
    (0.4, 0.125)
    """
    drains = min(DRAIN_PAUSE_SECONDS, _DRAIN_SECONDS / max(1, processes))
    return {Queue.INGEST: drains, Queue.COMPRESS: _FOLD_SECONDS / max(1, processes)}


def _serve(
    app: Any, settings: WorkerSettings, url: str, queues: Collection[Queue], pauses: Mapping[Queue, float],
    stop: threading.Event,
) -> None:  # fmt: skip
    # Imported here: importing the application needs neither Redis's client nor tenacity.
    import tenacity

    from turnfold.redis.doorbell import CeleryPublisher
    from turnfold_worker.adapters.redis.bell import RungBells

    def bells_of() -> RungBells:
        return RungBells(connect(url, timeout_seconds=max(settings.timeout_seconds, 4 * WAIT_SECONDS)))

    publisher = CeleryPublisher(app)
    round_ = Round(bells_of, publisher, queues, stop=stop, expires_seconds=settings.republish_seconds, pauses=pauses)
    outage = _Outage()
    retrying = tenacity.Retrying(
        wait=tenacity.wait_random_exponential(multiplier=0.1, max=LONGEST_PAUSE_SECONDS),
        stop=tenacity.stop_when_event_set(stop), sleep=tenacity.sleep_using_event(stop), before_sleep=outage.begins,
    )  # fmt: skip
    while not stop.is_set():
        try:
            retrying(round_)
        except tenacity.RetryError:
            break
        outage.is_over()
    publisher.close()
    round_.close()


class Round:
    """One poll of the bells, and the messages for the rings taken."""

    def __init__(
        self, bells: Callable[[], RungBells], publisher: CeleryPublisher, queues: Collection[Queue], *,
        stop: threading.Event, expires_seconds: float, pauses: Mapping[Queue, float],
    ) -> None:  # fmt: skip
        self._open = bells
        self._opened: RungBells | None = None
        self._publisher = publisher
        self._queues = queues
        self._stop = stop
        self._expires_seconds = expires_seconds
        self._pauses = pauses
        self._looks_at: dict[Queue, float] = {}
        """When the bells of a queue are polled next, by `time.monotonic`; their rings stay in Redis meanwhile."""

    @property
    def _bells(self) -> RungBells:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def close(self) -> None:
        """Close the Redis connection."""
        if self._opened is not None:
            self._opened.close()

    def __call__(self) -> None:
        """Wait a while for a ring, and publish. Raises errors of Redis and of the broker, after giving rings back."""
        now = time.monotonic()
        queues = [queue for queue in self._queues if self._looks_at.get(queue, 0.0) <= now]
        # Until the next paused queue is polled again; never 0, which means for ever in Redis.
        seconds = max(_LEAST_WAIT, min([WAIT_SECONDS, *(at - now for at in self._looks_at.values() if at > now)]))
        if not queues:
            self._stop.wait(seconds)
            return
        rings = self._bells.wait(queues, seconds)
        if not rings:
            return
        try:
            self._stop.wait(LINGER_SECONDS)
            rings += self._bells.take(queues)
        finally:
            self._publish(rings)

    def _publish(self, rings: Sequence[Ring]) -> None:
        messages = together(rings)
        while messages:
            message = messages[-1]
            try:
                sent = self._publisher.publish(message.task, *message.arguments, expires_seconds=self._expires_seconds)
            except Exception:
                self._bells.give_back(rings_of(messages))
                raise
            if not sent:
                self._bells.give_back(rings_of([message]))
            pause = self._pauses.get(message.queue, 0.0) if sent else FULL_SECONDS
            self._looks_at[message.queue] = max(self._looks_at.get(message.queue, 0.0), time.monotonic() + pause)
            messages.pop()


def together(rings: Sequence[Ring]) -> list[Ring]:
    """Return the messages for some rings: one for all drains, with their shards as arguments, one per other ring."""
    shards = {shard for ring in rings if ring.task is Task.DRAIN for shard in ring.arguments}
    others = dict.fromkeys(ring for ring in rings if ring.task is not Task.DRAIN)
    return [*others, *([Ring(Task.DRAIN, tuple(sorted(shards)))] if shards else [])]


def rings_of(messages: Sequence[Ring]) -> list[Ring]:
    """Return the rings of some messages: the inverse of `together`."""
    return [
        ring
        for message in messages
        for ring in (
            [Ring(Task.DRAIN, (shard,)) for shard in message.arguments] if message.task is Task.DRAIN else [message]
        )
    ]


class _Outage:
    """Logs once that Redis or the broker is away, and once that they are back."""

    def __init__(self) -> None:
        self._away = False

    def begins(self, state: RetryCallState) -> None:
        if not self._away and state.outcome is not None:
            _log.warning(
                "rings are not received until Redis and the broker answer: %s", type(state.outcome.exception()).__name__
            )
        self._away = True

    def is_over(self) -> None:
        if self._away:
            _log.warning("rings are received again")
        self._away = False
