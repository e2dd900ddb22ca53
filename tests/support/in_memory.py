"""A conversation in this process with a list as its inbox: a test decides when and how often entries are stored."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Engine

from turnfold.contract.configuration import configuration
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.wire.encode import accept
from turnfold.wire.inbox_entry import InboxEntry
from turnfold.wire.turn_edits import TurnChange
from turnfold_worker.adapters.sql.memory_database import memory_database
from turnfold_worker.operate.digest import digest
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.drain import receive
from turnfold_worker.use_cases.fold import CompressLimits, compress
from turnfold_worker.use_cases.refold import refold
from turnfold_worker.wiring import sql_store

SMALL_SEGMENTS = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}
MAX_BYTES = 1_048_576


class InMemory:
    """A conversation of small segments."""

    def __init__(self) -> None:
        self.engine: Engine = memory_database()
        self.store = sql_store(WorkerSettings(), self.engine, self.engine)
        self.address = Address("acme", "c")
        (self.conversation,) = self.store.resolve([self.address])
        self.entries: list[InboxEntry] = []
        self.stored = 0
        """Entries that were stored at least once."""
        body = configuration(goal=None, constraints=None, settings=SMALL_SEGMENTS)
        self._put(Operation.CONFIGURE, "configure", body)

    def append(self, turns: Sequence[Mapping[str, Any]]) -> None:
        for turn in turns:
            entry = accept(turn, max_bytes=MAX_BYTES)
            self._put(Operation.APPEND, entry.entry_id, entry.body)

    def change(self, change: TurnChange) -> None:
        self._put(change.operation, f"{change.operation}-{len(self.entries)}", change.body)

    def _put(self, operation: Operation, entry_id: str, body: bytes) -> None:
        self.entries.append(InboxEntry(f"{len(self.entries) + 1}-0", str(operation), entry_id, body))

    def drain(self, first: int, last: int) -> None:
        """Store entries `first` to `last`, as a drain does that has read them now or long ago."""
        assert first <= self.stored, "a drain reads from the beginning of the inbox"
        received = [receive(entry) for entry in self.entries[first:last]]
        self.store.store({self.conversation: received})
        self.stored = max(self.stored, last)

    def fold(self) -> None:
        """Fold everything stored, and fold changed segments again."""
        limits = CompressLimits(slice_seconds=math.inf, attempts=3)
        compress(self.conversation, store=self.store, limits=limits, clock=time.monotonic)
        while refold(store=self.store) is not None:
            compress(self.conversation, store=self.store, limits=limits, clock=time.monotonic)

    def settle(self) -> None:
        self.drain(self.stored, len(self.entries))
        self.fold()

    def digest(self) -> str:
        return digest(self.engine, self.address.tenant, self.address.conversation)

    def close(self) -> None:
        self.engine.dispose()
