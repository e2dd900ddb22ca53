"""The connections of one process. A forked child opens its own: sockets and SQLite's locks do not survive a fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

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
_Made = TypeVar("_Made")


class CellResources:
    """The `Resources` of each cell, which open their connections on first use. Safe to share among threads."""

    def __init__(self, settings: Settings, on_change: OnChange | None = None) -> None:
        """Read the file of cells. Raises `InvalidSettings`."""
        self._settings = settings
        self._cells = settings.read_cells()
        self._resources = {
            name: Resources(settings.in_cell(name, self._cells), on_change) for name in self._cells.cells
        }

    def of(self, tenant: str) -> Resources:
        """Return the resources of a tenant's cell."""
        return self._resources[self._settings.cell or self._cells.of(tenant)]

    def share_processor(self, threads: int) -> None:
        """Call `Resources.share_processor` for each cell."""
        for resources in self._resources.values():
            resources.share_processor(threads)

    def close(self) -> None:
        """Close the resources of all cells."""
        for resources in self._resources.values():
            resources.close()


class Resources:
    """Opens each connection on first use, once per process. Safe to share among threads."""

    def __init__(self, settings: Settings, on_change: OnChange | None = None) -> None:
        self._settings = settings
        self._on_change = on_change
        self.rings_elsewhere = settings.celery_doorbell or settings.uses_cluster
        """Whether `ring` has to be called after an append, which otherwise rings in Redis itself."""
        self._computing_threads = 0
        # Reentrant: opening one connection may open another that it needs.
        self._lock = threading.RLock()
        self._of_parent: tuple[object, ...] = ()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._pid = os.getpid()
        self._opened: dict[str, Any] = {}

    def _enter(self) -> None:
        if self._pid != os.getpid():
            # The parent's lock may have been held at the fork, and its connections must not be used or closed here.
            # Keep them referenced for ever: garbage collection would close them.
            self._of_parent = (*self._of_parent, self._opened)
            self._lock = threading.RLock()
            self._forget_connections()

    def _once(self, name: str, make: Callable[[], _Made]) -> _Made:
        """Return the resource of a name, made on its first use in this process."""
        self._enter()
        with self._lock:
            if name not in self._opened:
                self._opened[name] = make()
            opened: _Made = self._opened[name]
            return opened

    def inbox(self) -> inbox.ProducerInbox:
        """Return the inboxes in Redis."""
        return self._once(
            "inbox",
            lambda: inbox.ProducerInbox(
                self._connected(), reads_without_redis=self._settings.reads_without_redis,
                rings_elsewhere=self.rings_elsewhere,
            ),
        )  # fmt: skip

    def quotas(self) -> Quotas:
        """Return the counters of tenants' quotas."""
        return self._once("quotas", lambda: Quotas(self._connected(), self._settings))

    def references(self) -> ContextReferences:
        """Return the store of contexts kept in Redis."""
        return self._once("references", lambda: ContextReferences(self._connected()))

    def access(self) -> AccessCounts:
        """Return the counter of expansions."""
        return self._once("access", lambda: AccessCounts(self._connected()))

    def _connected(self) -> InboxServers:
        return self._once("servers", self._open_redis)

    def _open_redis(self) -> InboxServers:
        from turnfold.redis.servers import InboxServers

        return InboxServers.of(self._settings, self.stored_layout)

    def stored_layout(self) -> Layout:
        """Read the layout of the inboxes from the database, for when Redis has none."""
        return self.reader().layout()

    def reader(self) -> Reader:
        """Return the reader of the database. The first call imports SQLModel."""
        return self._once("reader", self._opened_reader)

    def _opened_reader(self, *, beside: Reader | None = None) -> Reader:
        from turnfold.database.engines import database
        from turnfold.database.reader import Reader

        engine = database(self._settings, write=False, replica=beside is not None)
        opened = Reader(engine, self._on_change, beside=beside, ask_fold=self._ask_fold)
        if self._computing_threads:
            opened.share_processor(self._computing_threads)
        return opened

    def _ask_fold(self, conversation: ConversationId) -> None:
        # A failure is harmless: the next read that finds the same missing asks again.
        with suppress(TurnfoldError):
            self.ring(Task.COMPRESS, conversation)

    def replica(self) -> ReplicaFirst | None:
        """Return the replica that reads prefer; None where none is configured."""
        if not self._settings.read_database_url:
            return None
        return self._once("replica", self._open_replica)

    def _open_replica(self) -> ReplicaFirst:
        from turnfold.database.replicas import ReplicaFirst

        return ReplicaFirst(self._opened_reader(beside=self.reader()))

    def read(self, verb: Callable[[PendingSource, ReadSource], _Read]) -> _Read:
        """Run a read of one conversation, on the replica where that is up to date."""
        inbox, reader, replica = self.inbox(), self.reader(), self.replica()
        return verb(inbox, reader) if replica is None else replica.read(inbox, reader, verb)

    def share_processor(self, threads: int) -> None:
        """Limit how many threads compute at once, however many of them read."""
        self._enter()
        with self._lock:
            self._computing_threads = threads
            for name in ("reader", "replica"):
                if name in self._opened:
                    self._opened[name].share_processor(threads)

    def ring(self, task: Task, *arguments: int) -> None:
        """Wake a worker, by one round trip to Redis or in the background through Celery.

        A lost ring only delays the work until the workers' own timer finds it.
        """
        if self._settings.celery_doorbell:
            self._once("doorbell", self._open_doorbell).ring(task, *arguments)
        else:
            self._once("bell", lambda: Bell(self._connected())).ring(Ring(task, arguments))

    def _open_doorbell(self) -> Doorbell:
        return Doorbell(self._settings.effective_broker_url, timeout_seconds=self._settings.timeout_seconds / 2)

    def close(self) -> None:
        """Publish pending rings and close the connections that this process opened."""
        if self._pid != os.getpid():
            return
        with self._lock:
            for name in ("doorbell", "access", "servers", "reader", "replica"):
                if name in self._opened:
                    self._opened[name].close()
            self._forget_connections()
