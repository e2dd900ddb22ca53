"""Reads from a replica: each first checks that the replica has what workers stored, and falls back to the primary."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Final, TypeVar

from turnfold.assemble.context import Context
from turnfold.contract.keys import Address
from turnfold.contract.marks import StoredMark
from turnfold.contract.seals import Seals
from turnfold.database.conversation_cache import Found, ReplicaBehind, Wanted
from turnfold.database.read_source import PendingSource, ReadSource
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.reader import Reader
from turnfold.errors import SchemaMismatch, Unavailable, UnknownConversation, UnknownMarker
from turnfold.redis.inbox import Pending

AWAY_SECONDS: Final = 1.0
"""Seconds without further reads from a replica after it failed to answer."""

_Read = TypeVar("_Read")


class _Away(Exception):  # noqa: N818 - the primary is asked instead
    """The replica did not answer, or has an incompatible schema; the primary is read instead."""


class _Looked:
    """An inbox with cached peeks: repeated peeks return what was there before SQL was read."""

    def __init__(self, inbox: PendingSource) -> None:
        self._inbox = inbox
        self._looks: dict[tuple[Address, int], Pending] = {}

    def peek(self, address: Address, *, newest: int) -> Pending:
        key = (address, newest)
        if key not in self._looks:
            self._looks[key] = self._inbox.peek(address, newest=newest)
        return self._looks[key]

    @property
    def marks(self) -> dict[Address, StoredMark]:
        """Stored marks of the peeked conversations, if Redis has one."""
        return {
            address: StoredMark.from_text(pending.mark)
            for (address, _), pending in self._looks.items()
            if pending.mark is not None
        }


class _AtLeast:
    """A replica's reader that raises `ReplicaBehind` unless the replica has reached the inbox's stored marks."""

    def __init__(self, replica: Reader, looked: _Looked) -> None:
        self._replica = replica
        self._looked = looked

    def computing(self) -> AbstractContextManager[None]:
        return self._replica.computing()

    def read(self, work: Callable[[ReadTransaction], _Read]) -> _Read:
        marks = {
            address: max(mark, self._replica.newest(address) or mark) for address, mark in self._looked.marks.items()
        }

        def checked(transaction: ReadTransaction) -> _Read:
            if not all(mark.is_reached_by(transaction.head(address)) for address, mark in marks.items()):
                raise ReplicaBehind
            return work(transaction)

        if not marks:
            raise ReplicaBehind
        return self._asked(lambda: self._replica.read(checked))

    def by_value(self, wanted: Wanted) -> Found | None:
        mark = self._looked.marks.get(wanted.address)
        if mark is None:
            raise ReplicaBehind
        return self._asked(lambda: self._replica.by_value(wanted._replace(at_least=mark)))

    def seals(self, address: Address) -> Seals:
        return self._asked(lambda: self._replica.seals(address))

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None:
        self._replica.keep(address, found, key, made)

    def drop(self, address: Address) -> None:
        self._replica.drop(address)

    def _asked(self, ask: Callable[[], _Read]) -> _Read:
        try:
            return ask()
        except (Unavailable, SchemaMismatch) as error:
            raise _Away from error


class ReplicaFirst:
    """Reads from a replica if possible. Thread-safe."""

    def __init__(self, replica: Reader) -> None:
        self._replica = replica
        self._asks_again = 0.0
        self.reads = self.behind = 0
        """Number of reads that the replica answered, and of those for which it was behind or had no mark."""

    def read(self, inbox: PendingSource, primary: Reader, verb: Callable[[PendingSource, ReadSource], _Read]) -> _Read:
        """Run a read of one conversation on the replica, or on the primary if the replica is behind or down.

        The inbox is peeked once for both, before SQL is read.
        """
        if time.monotonic() < self._asks_again:
            return verb(inbox, primary)
        looked = _Looked(inbox)
        try:
            answer = verb(looked, _AtLeast(self._replica, looked))
        except (ReplicaBehind, UnknownConversation, UnknownMarker):
            # The primary may know what the replica does not have yet, such as a marker in a context of the primary's.
            self.behind += 1
        except _Away:
            self._asks_again = time.monotonic() + AWAY_SECONDS
        else:
            self.reads += 1
            return answer
        return verb(looked, primary)

    def share_processor(self, threads: int) -> None:
        """Like `Reader.share_processor`."""
        self._replica.share_processor(threads)

    def close(self) -> None:
        """Close the replica's connections."""
        self._replica.close()
