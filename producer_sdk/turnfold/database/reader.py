"""The reader: runs a read in one snapshot, with a retry after a lost connection, and caches conversations."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from sqlalchemy import Engine

from turnfold.assemble.context import Context
from turnfold.contract.keys import Address
from turnfold.contract.marks import StoredMark
from turnfold.contract.records import ConversationId
from turnfold.contract.seals import Seals
from turnfold.contract.shards import Layout
from turnfold.database.change_events import ChangeLog, OnChange
from turnfold.database.conversation_cache import Found, Wanted
from turnfold.database.failures import ConnectionLost, translated
from turnfold.database.processor_share import ProcessorShare, lend_while_executing, waiting
from turnfold.database.read_transaction import ReadTransaction, checked_secret, stored_layout
from turnfold.database.value_read import ValueReader

_Result = TypeVar("_Result")


AskFold = Callable[[ConversationId], object]
"""Requests a fold of a conversation now. Must not raise."""


def _ask_nobody(conversation: ConversationId) -> None:
    """Do nothing, for reads that do not depend on dropped rows."""


class Reader:
    """Opens read transactions. Thread-safe."""

    def __init__(
        self, engine: Engine, on_change: OnChange | None = None, *, beside: Reader | None = None,
        ask_fold: AskFold = _ask_nobody,
    ) -> None:  # fmt: skip
        """`on_change` is called after a read, with workers' changes to a conversation since the previous read.

        `ask_fold` is called after a read that missed dropped rows of an idle conversation: a fold rebuilds them. A
        replica's reader gets the primary's as `beside`, and shares its cache and its change log.
        """
        self._engine = engine
        self._ask_fold = ask_fold
        self._changes = None if on_change is None else ChangeLog(on_change)
        self._values = ValueReader(engine, self._changes)
        if beside is not None:
            self._changes = beside._changes  # noqa: SLF001 - one of our own kind
            self._values = ValueReader(engine, self._changes, beside=beside._values)  # noqa: SLF001 - the same
        self._schema_checked = False
        self._secret = ""
        self._share: ProcessorShare | None = None

    def share_processor(self, threads: int) -> None:
        """Limit the number of threads that compute at once; any number of them may wait for the database."""
        if self._share is None and self._engine.dialect.name == "postgresql":
            lend_while_executing(self._engine)
        self._share = ProcessorShare(threads)

    def computing(self) -> AbstractContextManager[None]:
        """Wait for a share of the CPU, if the number of computing threads is limited."""
        return nullcontext() if self._share is None else self._share.held()

    def read(self, work: Callable[[ReadTransaction], _Result]) -> _Result:
        """Run `work` in one read-only snapshot; retry once after a lost connection.

        Raises `Unavailable` or `SchemaMismatch`.
        """
        result, missed = self._read(lambda: self._once(work))
        for conversation in missed:
            self._ask_fold(conversation)
        return result

    def by_value(self, wanted: Wanted) -> Found | None:
        """Return what the default policy needs of a conversation, at one state; None if nothing of it is stored.

        Raises as `read`.
        """
        self._check_schema()
        found = self._read(lambda: self._values.read(wanted))
        if found is not None and found.answers.has_lost_postings:
            self._ask_fold(found.head.id)
        return found

    def newest(self, address: Address) -> StoredMark | None:
        """Return the mark of the cached state of a conversation; None if it is not cached."""
        return self._values.newest(address)

    def archive(self, address: Address) -> bytes:
        """Return the archive of one conversation, from one snapshot. Raises as `read`, and `UnknownConversation`."""
        from turnfold.database.exports import footer, header, lines_of  # the one read that needs all tables

        self._check_schema()
        return self._read(lambda: b"".join([header(), *lines_of(self._engine, address), footer(1)]))

    def seals(self, address: Address) -> Seals:
        """Return the seals for the frame around quoted conversation text. Raises as `read`."""
        self._check_schema()
        return Seals(self._secret, address)

    def layout(self) -> Layout:
        """Return the layout of the shards. Raises as `read`."""
        return self.read(lambda transaction: stored_layout(transaction.connection))

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None:
        """Cache a finished context of a result of `by_value`, by everything else that the context depends on."""
        self._values.known.keep(address, found, key, made)

    def prepare(self) -> None:
        """Compile the statements that the first reads would compile, without a query."""
        self._values.prepare()

    def drop(self, address: Address) -> None:
        """Evict a conversation from the cache."""
        self._values.known.drop(address)

    def forget_parsed(self) -> None:
        """Clear the cache: the next read of each conversation is like a new process's."""
        self._values.known.clear()

    def close(self) -> None:
        """Close all connections."""
        self._values.close()
        self._engine.dispose()

    def _check_schema(self) -> None:
        if not self._schema_checked:
            self.read(lambda _: None)

    def _read(self, work: Callable[[], _Result]) -> _Result:
        try:
            with self.computing(), translated():
                return work()
        except ConnectionLost:
            with self.computing(), translated():
                return work()
        finally:
            # Outside any transaction: the callback may read, also in other threads.
            if self._changes is not None:
                with waiting():
                    self._changes.tell()

    def _once(self, work: Callable[[ReadTransaction], _Result]) -> tuple[_Result, set[ConversationId]]:
        with waiting():
            opened = self._engine.connect()
        with opened as connection, connection.begin():
            if not self._schema_checked:
                self._secret = checked_secret(connection)
                self._schema_checked = True
            transaction = ReadTransaction(connection, self._values, secret=self._secret)
            return work(transaction), transaction.missed
