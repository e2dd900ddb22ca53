"""Settings and adapters put together, once a process: connections do not survive a fork."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import lru_cache

from celery import Celery
from sqlalchemy import Engine

from turnfold import inbox as producer_inbox
from turnfold.contract.records import ConversationId, JobId
from turnfold.sql import connect
from turnfold_worker.adapters.celery_publisher import CeleryPublisher
from turnfold_worker.adapters.redis_inbox import RedisInbox
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder, check_installed
from turnfold_worker.adapters.sql_store import SqlStore
from turnfold_worker.compress import CompressLimits, compress
from turnfold_worker.drain import Drained, DrainLimits, drain
from turnfold_worker.erase import erase
from turnfold_worker.ports import Inbox, Publisher, SentenceEmbedder, Store
from turnfold_worker.refold import refold
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.sweep import Swept, sweep

LOCK_WAIT_SECONDS = 30.0
"""How long a writer waits for SQLite's lock: others hold it for milliseconds, but there may be many."""


@dataclass(frozen=True, slots=True)
class Worker:
    """The use cases with everything that they need."""

    settings: WorkerSettings
    inbox: Inbox
    store: Store
    publisher: Publisher
    embedder: SentenceEmbedder | None = None

    def drain(self, shard: int) -> Drained:
        limits = DrainLimits(
            conversations=self.settings.claim_conversations, turns=self.settings.batch_turns,
            slice_seconds=self.settings.slice_seconds,
        )  # fmt: skip
        drained = drain(
            shard, inbox=self.inbox, store=self.store, publisher=self.publisher, limits=limits, clock=time.monotonic
        )
        self.sweep_in_turn()
        return drained

    def compress(self, conversation: int) -> int:
        limits = CompressLimits(slice_seconds=self.settings.slice_seconds, attempts=self.settings.attempts)
        return compress(
            ConversationId(conversation), store=self.store, publisher=self.publisher, limits=limits,
            clock=time.monotonic, embedder=self.embedder,
        )  # fmt: skip

    def refold(self, job: int) -> bool:
        return refold(JobId(job), store=self.store, embedder=self.embedder)

    def sweep(self) -> Swept:
        return sweep(inbox=self.inbox, store=self.store, publisher=self.publisher)

    def sweep_in_turn(self) -> Swept:
        """Sweep, unless somebody did within the interval: marked by who does it, not by who asks for it."""
        return self.sweep() if self.inbox.start_sweep() else Swept(shards=0, folds=0)

    def erase(self, shard: int) -> int:
        return erase(shard, inbox=self.inbox, store=self.store, publisher=self.publisher)


def sql_store(settings: WorkerSettings, engine: Engine, read_engine: Engine) -> SqlStore:
    """The SQL store with a worker's leases."""
    return SqlStore(
        engine, read_engine=read_engine, lease_seconds=settings.lease_seconds,
        republish_seconds=settings.republish_seconds, attempts=settings.attempts,
    )  # fmt: skip


def build(settings: WorkerSettings, app: Celery) -> Worker:
    """A worker on real Redis, SQL and Celery. Nothing is connected until it is used."""
    client = producer_inbox.connect(settings.redis_url, timeout_seconds=settings.timeout_seconds)
    engine = connect(settings.database_url, write=True, timeout_seconds=LOCK_WAIT_SECONDS)
    read_engine = connect(settings.database_url, write=False, timeout_seconds=LOCK_WAIT_SECONDS)
    return Worker(
        settings=settings,
        inbox=RedisInbox(client, lease_seconds=settings.lease_seconds, sweep_seconds=settings.sweep_seconds),
        store=sql_store(settings, engine, read_engine),
        publisher=CeleryPublisher(app, expires_seconds=settings.republish_seconds),
        embedder=sentence_embedder(settings),
    )


def sentence_embedder(settings: WorkerSettings) -> SentenceEmbedder | None:
    """The sentence model of this process, loaded when it is first asked; None where `semantic` is off.

    Raises `InvalidSettings` when it is on and the packages are missing.
    """
    if not settings.semantic:
        return None
    check_installed()
    return _embedder_of_process(os.getpid(), settings.embedding_model, settings.embedding_bfloat16)


@lru_cache(maxsize=1)
def _embedder_of_process(pid: int, model: str, bfloat16: bool) -> SentenceTransformerEmbedder:  # noqa: ARG001, FBT001 - keys of the cache
    return SentenceTransformerEmbedder(model, bfloat16=bfloat16)


def worker(app: Celery) -> Worker:
    """The worker of this process, from the `TURNFOLD_*` variables."""
    return _of_process(os.getpid(), app)


@lru_cache(maxsize=1)
def _of_process(pid: int, app: Celery) -> Worker:  # noqa: ARG001 - the key that makes a fork build its own
    return build(WorkerSettings.from_env(), app)
