"""Connections of one process. A fork gets its own: sockets and SQLite's locks do not survive one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from turnfold.contract.records import ConversationId
from turnfold.contract.rings import Ring
from turnfold.contract.tasks import Task
from turnfold.errors import TurnfoldError
from turnfold.read.references import ContextReferences
from turnfold.redis import inbox
from turnfold.redis.bell import Bell
from turnfold.redis.doorbell import Doorbell
from turnfold.redis.expansion_counter import AccessCounts
from turnfold.redis.quotas import Quotas
from turnfold.settings import Settings

if TYPE_CHECKING:
    from turnfold.contract.shards import Layout
    from turnfold.database.change_events import OnChange
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.reader import Reader
    from turnfold.database.replicas import ReplicaFirst
    from turnfold.redis.servers import InboxServers


_Read = TypeVar("_Read")


class CellResources:
    """The resources of each cell, made when a tenant of it first comes. Safe to share among threads."""

    def __init__(self, settings: Settings, on_change: OnChange | None = None) -> None:
        """Read the file of cells. Raises `InvalidSettings`."""
        self._settings = settings
        self._cells = settings.read_cells()
        self._resources = {
            name: Resources(settings.in_cell(name, self._cells), on_change) for name in self._cells.cells
        }

    def of(self, tenant: str) -> Resources:
        """Those of the cell that a tenant lives in."""
        return self._resources[self._settings.cell or self._cells.of(tenant)]

    def share_processor(self, threads: int) -> None:
        """As `Resources.share_processor`, for each cell."""
        for resources in self._resources.values():
            resources.share_processor(threads)

    def close(self) -> None:
        """Close those of all cells."""
        for resources in self._resources.values():
            resources.close()


class Resources:
    """Opens each connection when it is first needed, once a process. Safe to share among threads."""

    def __init__(self, settings: Settings, on_change: OnChange | None = None) -> None:
        self._settings = settings
        self._on_change = on_change
        self.rings_elsewhere = settings.celery_doorbell or settings.uses_cluster
        """Whether an append and its ring are two calls."""
        """Whether `ring` is to be called after an append, which rings in Redis by itself otherwise."""
        self._computing_threads = 0
        self._lock = threading.Lock()
        self._of_parent: tuple[object, ...] = ()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._pid = os.getpid()
        self._servers: InboxServers | None = None
        self._inbox: inbox.ProducerInbox | None = None
        self._quotas: Quotas | None = None
        self._references: ContextReferences | None = None
        self._access: AccessCounts | None = None
        self._reader: Reader | None = None
        self._replica: ReplicaFirst | None = None
        self._bell: Bell | None = None
        self._doorbell: Doorbell | None = None

    def _enter(self) -> None:
        if self._pid != os.getpid():
            # The parent's lock may have been held at the fork, and its connections must not be used or closed here.
            # Held for ever: collecting them would close them.
            self._of_parent = (
                *self._of_parent,
                self._servers,
                self._inbox,
                self._quotas,
                self._references,
                self._access,
                self._reader,
                self._replica,
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

    def _connected(self) -> InboxServers:
        if self._servers is None:
            self._servers = self._open_redis()
        return self._servers

    def _open_redis(self) -> InboxServers:
        from turnfold.redis.servers import InboxServers

        return InboxServers.of(self._settings, self.stored_layout)

    def stored_layout(self) -> Layout:
        """How inboxes are laid out, by the database: asked where Redis does not know."""
        return self.reader().layout()

    def reader(self) -> Reader:
        """The database. The first call imports SQLModel."""
        self._enter()
        with self._lock:
            if self._reader is None:
                self._reader = self._opened_reader()
            return self._reader

    def _opened_reader(self, *, beside: Reader | None = None) -> Reader:
        from turnfold.database.engines import database
        from turnfold.database.reader import Reader

        engine = database(self._settings, write=False, replica=beside is not None)
        opened = Reader(engine, self._on_change, beside=beside, ask_fold=self._ask_fold)
        if self._computing_threads:
            opened.share_processor(self._computing_threads)
        return opened

    def _ask_fold(self, conversation: ConversationId) -> None:
        # The next read that misses the same asks again.
        with suppress(TurnfoldError):
            self.ring(Task.COMPRESS, conversation)

    def replica(self) -> ReplicaFirst | None:
        """The replica that is asked first; None where there is none."""
        if not self._settings.read_database_url:
            return None
        primary = self.reader()
        with self._lock:
            if self._replica is None:
                from turnfold.database.replicas import ReplicaFirst

                self._replica = ReplicaFirst(self._opened_reader(beside=primary))
            return self._replica

    def read(self, verb: Callable[[PendingSource, ReadSource], _Read]) -> _Read:
        """Run a read of one conversation, on a replica where one has all that is stored."""
        inbox, reader, replica = self.inbox(), self.reader(), self.replica()
        return verb(inbox, reader) if replica is None else replica.read(inbox, reader, verb)

    def share_processor(self, threads: int) -> None:
        """Let so many threads compute what is read at once, however many read."""
        self._enter()
        with self._lock:
            self._computing_threads = threads
            if self._reader is not None:
                self._reader.share_processor(threads)
            if self._replica is not None:
                self._replica.share_processor(threads)

    def ring(self, task: Task, *arguments: int) -> None:
        """Wake a worker. One round trip to Redis, or at once through Celery; a ring that is lost is made up for."""
        self._enter()
        if self._settings.celery_doorbell:
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
            if self._servers is not None:
                self._servers.close()
            if self._reader is not None:
                self._reader.close()
            if self._replica is not None:
                self._replica.close()
            self._forget_connections()
