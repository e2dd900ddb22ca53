"""Connections of one process. A fork gets its own: sockets and SQLite's locks do not survive one."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from turnfold.contract.rings import Ring
from turnfold.contract.tasks import Task
from turnfold.read.references import ContextReferences
from turnfold.redis import inbox
from turnfold.redis.bell import Bell
from turnfold.redis.doorbell import Doorbell
from turnfold.redis.expansion_counter import AccessCounts
from turnfold.redis.quotas import Quotas
from turnfold.settings import Settings

if TYPE_CHECKING:
    import redis

    from turnfold.database.change_events import OnChange
    from turnfold.database.reader import Reader


class Resources:
    """Opens each connection when it is first needed, once a process. Safe to share among threads."""

    def __init__(self, settings: Settings, on_change: OnChange | None = None) -> None:
        self._settings = settings
        self._on_change = on_change
        self.rings_elsewhere = settings.celery_doorbell
        """Whether `ring` is to be called after an append, which rings in Redis by itself otherwise."""
        self._computing_threads = 0
        self._lock = threading.Lock()
        self._of_parent: tuple[object, ...] = ()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._pid = os.getpid()
        self._redis: redis.Redis | None = None
        self._inbox: inbox.ProducerInbox | None = None
        self._quotas: Quotas | None = None
        self._references: ContextReferences | None = None
        self._access: AccessCounts | None = None
        self._reader: Reader | None = None
        self._bell: Bell | None = None
        self._doorbell: Doorbell | None = None

    def _enter(self) -> None:
        if self._pid != os.getpid():
            # The parent's lock may have been held at the fork, and its connections must not be used or closed here.
            # Held for ever: collecting them would close them.
            self._of_parent = (
                *self._of_parent,
                self._redis,
                self._inbox,
                self._quotas,
                self._references,
                self._access,
                self._reader,
                self._bell,
                self._doorbell,
            )
            self._lock = threading.Lock()
            self._forget_connections()

    def inbox(self) -> inbox.ProducerInbox:
        """The inboxes in Redis."""
        self._enter()
        with self._lock:
            if self._inbox is None:
                self._inbox = inbox.ProducerInbox(
                    self._connected(), reads_without_redis=self._settings.reads_without_redis,
                    rings_elsewhere=self.rings_elsewhere,
                )  # fmt: skip
            return self._inbox

    def quotas(self) -> Quotas:
        """What tenants may append."""
        self._enter()
        with self._lock:
            if self._quotas is None:
                self._quotas = Quotas(self._connected(), self._settings)
            return self._quotas

    def references(self) -> ContextReferences:
        """Contexts that are kept in Redis."""
        self._enter()
        with self._lock:
            if self._references is None:
                self._references = ContextReferences(self._connected())
            return self._references

    def access(self) -> AccessCounts:
        """Where expansions are counted."""
        self._enter()
        with self._lock:
            if self._access is None:
                self._access = AccessCounts(self._connected())
            return self._access

    def _connected(self) -> redis.Redis:
        if self._redis is None:
            self._redis = self._open_redis()
        return self._redis

    def _open_redis(self) -> redis.Redis:
        return inbox.connect(self._settings.redis_url, timeout_seconds=self._settings.timeout_seconds)

    def reader(self) -> Reader:
        """The database. The first call imports SQLModel."""
        self._enter()
        with self._lock:
            if self._reader is None:
                from turnfold.database.engines import database
                from turnfold.database.reader import Reader

                self._reader = Reader(database(self._settings, write=False), self._on_change)
                if self._computing_threads:
                    self._reader.share_processor(self._computing_threads)
            return self._reader

    def share_processor(self, threads: int) -> None:
        """Let so many threads compute what is read at once, however many read."""
        self._enter()
        with self._lock:
            self._computing_threads = threads
            if self._reader is not None:
                self._reader.share_processor(threads)

    def ring(self, task: Task, *arguments: int) -> None:
        """Wake a worker. One round trip to Redis, or at once through Celery; a ring that is lost is made up for."""
        self._enter()
        if self.rings_elsewhere:
            self._publishing().ring(task, *arguments)
        else:
            self._ringing().ring(Ring(task, arguments))

    def _ringing(self) -> Bell:
        with self._lock:
            if self._bell is None:
                self._bell = Bell(self._connected())
            return self._bell

    def _publishing(self) -> Doorbell:
        with self._lock:
            if self._doorbell is None:
                self._doorbell = Doorbell(
                    self._settings.effective_broker_url, timeout_seconds=self._settings.timeout_seconds / 2
                )
            return self._doorbell

    def close(self) -> None:
        """Publish waiting rings and close what this process opened."""
        if self._pid != os.getpid():
            return
        with self._lock:
            if self._doorbell is not None:
                self._doorbell.close()
            if self._access is not None:
                self._access.close()
            if self._redis is not None:
                self._redis.close()
            if self._reader is not None:
                self._reader.close()
            self._forget_connections()
