"""A worker without Celery: runs its use cases in this process, when a test calls them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

import redis
from sqlalchemy import Engine

from turnfold.contract.server_urls import is_cluster, urls_of
from turnfold.contract.shards import Layout
from turnfold.contract.tasks import Task
from turnfold.database.engines import database
from turnfold.database.reader import Reader
from turnfold.errors import InvalidSettings, Unavailable
from turnfold.redis.servers import InboxServers
from turnfold_worker.errors import WorkerError
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing.messages import HeldMessages, run_until_idle
from turnfold_worker.wiring import LOCK_WAIT_SECONDS, Worker, build_on
from turnfold_worker.wiring.models import language_model


@dataclass
class LocalWorker:
    """Stores, folds and refines when called. Calls from several threads are serialized."""

    worker: Worker
    messages: HeldMessages
    engine: Engine
    """For inspecting stored rows."""
    write_engine: Engine
    client: redis.Redis
    _reconstructions: deque[tuple[int, int, int]] = field(default_factory=deque, repr=False)
    """Requests of clients: conversation, height and index of a node."""
    _turn: Any = field(default_factory=threading.RLock, repr=False)

    @classmethod
    @contextmanager
    def open(
        cls,
        settings: WorkerSettings,
        client: redis.Redis,
        *,
        embedder: SentenceEmbedder | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Iterator[Self]:
        """Open a worker on the Redis of `client`, which the caller closes. `sleep` pauses between calls to a model."""
        write_engine = database(settings, write=True, timeout_seconds=LOCK_WAIT_SECONDS)
        engine = database(settings, write=False, timeout_seconds=LOCK_WAIT_SECONDS)
        model = language_model(settings) if settings.has_model else None
        messages = HeldMessages()
        worker = build_on(
            settings, servers=servers_of(settings, client, Reader(engine).layout), engine=write_engine,
            read_engine=engine, publisher=messages, model=model,
            embedder=embedder, sleep=sleep,
        )  # fmt: skip
        try:
            yield cls(worker, messages, engine, write_engine, client)
        finally:
            if model is not None:
                model.close()
            write_engine.dispose()
            engine.dispose()

    def drain(self) -> int:
        """Store the entries of the inboxes without folding; return the number of new turns."""
        with self._turn:
            worker = self._without_refining()
            return sum(worker.drain(shard).turns for shard in worker.inbox.waiting())

    def fold(self) -> None:
        """Store, fold and erase until nothing is left to do; refine jobs wait."""
        with self._turn:
            # Drained first, since a sweep skips inboxes that were rung for already.
            self.drain()
            run_until_idle(self._without_refining(), self.messages)

    def settle(self) -> None:
        """Store, fold and refine until nothing is left to do."""
        with self._turn:
            run_until_idle(self.worker, self.messages)

    def receive(self, task: Task, *numbers: int) -> None:
        """Keep a client's message."""
        if task is Task.RECONSTRUCT:
            conversation, height, idx = numbers
            self._reconstructions.append((conversation, height, idx))
        else:
            (argument,) = numbers
            self.messages.waiting.append((task, argument))

    def reconstruct(self) -> None:
        """Let the model reconstruct the requested nodes. Raises `Unavailable` with the reason of a failure."""
        with self._turn:
            while self._reconstructions:
                try:
                    outcome = self.worker.reconstruct(*self._reconstructions.popleft())
                except (WorkerError, InvalidSettings) as error:
                    raise Unavailable(error.problem, remedy=error.remedy) from error
                if outcome.startswith("refused"):
                    raise Unavailable(outcome, remedy="expand the summary at level 1, or retry")

    def _without_refining(self) -> Worker:
        """Return a worker whose sweeps do not ring for refine jobs."""
        return replace(self.worker, refinements=None)


def servers_of(settings: WorkerSettings, client: redis.Redis, stored: Callable[[], Layout]) -> InboxServers:
    """Return the server of an open client, which may have no URL; or the servers that the settings name."""
    urls = urls_of(settings.redis_url)
    if len(urls) > 1 or is_cluster(urls[0]):
        return InboxServers.of(settings, stored)
    return InboxServers.on(client, stored)
