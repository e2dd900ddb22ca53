"""Connections of one process. A fork gets its own: sockets and SQLite's locks do not survive one."""

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
        """Whether `ring` is to be called after an append, which rings in Redis by itself otherwise."""
        self._computing_threads = 0
        # Opening one connection may open another that it needs.
        self._lock = threading.RLock()
        self._of_parent: tuple[object, ...] = ()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._pid = os.getpid()
        self._opened: dict[str, Any] = {}

    def _enter(self) -> None:
        if self._pid != os.getpid():
            # The parent's lock may have been held at the fork, and its connections must not be used or closed here.
            # Held for ever: collecting them would close them.
            self._of_parent = (*self._of_parent, self._opened)
            self._lock = threading.RLock()
            self._forget_connections()

    def _once(self, name: str, make: Callable[[], _Made]) -> _Made:
        """What goes by a name, made when this process first asks for it."""
        self._enter()
        with self._lock:
            if name not in self._opened:
                self._opened[name] = make()
            opened: _Made = self._opened[name]
            return opened

    def inbox(self) -> inbox.ProducerInbox:
        """The inboxes in Redis."""
        return self._once(
            "inbox",
            lambda: inbox.ProducerInbox(
                self._connected(), reads_without_redis=self._settings.reads_without_redis,
                rings_elsewhere=self.rings_elsewhere,
            ),
        )  # fmt: skip

    def quotas(self) -> Quotas:
        """What tenants may append."""
        return self._once("quotas", lambda: Quotas(self._connected(), self._settings))

    def references(self) -> ContextReferences:
        """Contexts that are kept in Redis."""
        return self._once("references", lambda: ContextReferences(self._connected()))

    def access(self) -> AccessCounts:
        """Where expansions are counted."""
        return self._once("access", lambda: AccessCounts(self._connected()))

    def _connected(self) -> InboxServers:
        return self._once("servers", self._open_redis)

    def _open_redis(self) -> InboxServers:
        from turnfold.redis.servers import InboxServers

        return InboxServers.of(self._settings, self.stored_layout)

    def stored_layout(self) -> Layout:
        """How inboxes are laid out, by the database: asked where Redis does not know."""
        return self.reader().layout()

    def reader(self) -> Reader:
        """The database. The first call imports SQLModel."""
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
        # The next read that misses the same asks again.
        with suppress(TurnfoldError):
            self.ring(Task.COMPRESS, conversation)

    def replica(self) -> ReplicaFirst | None:
        """The replica that is asked first; None where there is none."""
        if not self._settings.read_database_url:
            return None
        return self._once("replica", self._open_replica)

    def _open_replica(self) -> ReplicaFirst:
        from turnfold.database.replicas import ReplicaFirst

        return ReplicaFirst(self._opened_reader(beside=self.reader()))

    def read(self, verb: Callable[[PendingSource, ReadSource], _Read]) -> _Read:
        """Run a read of one conversation, on a replica where one has all that is stored."""
        inbox, reader, replica = self.inbox(), self.reader(), self.replica()
        return verb(inbox, reader) if replica is None else replica.read(inbox, reader, verb)

    def share_processor(self, threads: int) -> None:
        """Let so many threads compute what is read at once, however many read."""
        self._enter()
        with self._lock:
            self._computing_threads = threads
            for name in ("reader", "replica"):
                if name in self._opened:
                    self._opened[name].share_processor(threads)

    def ring(self, task: Task, *arguments: int) -> None:
        """Wake a worker. One round trip to Redis, or at once through Celery; a ring that is lost is made up for."""
        if self._settings.celery_doorbell:
            self._once("doorbell", self._open_doorbell).ring(task, *arguments)
        else:
            self._once("bell", lambda: Bell(self._connected())).ring(Ring(task, arguments))

    def _open_doorbell(self) -> Doorbell:
        return Doorbell(self._settings.effective_broker_url, timeout_seconds=self._settings.timeout_seconds / 2)

    def close(self) -> None:
        """Publish waiting rings and close what this process opened."""
        if self._pid != os.getpid():
            return
        with self._lock:
            for name in ("doorbell", "access", "servers", "reader", "replica"):
                if name in self._opened:
                    self._opened[name].close()
            self._forget_connections()
