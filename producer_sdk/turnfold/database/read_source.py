"""Protocols of what a read of one conversation needs: an inbox, and a reader of the primary or a replica."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from turnfold.assemble.context import Context
    from turnfold.contract.keys import Address
    from turnfold.contract.seals import Seals
    from turnfold.database.conversation_cache import Found, Wanted
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.redis.inbox import Pending

_Read = TypeVar("_Read")


class PendingSource(Protocol):
    """A source of the turns that are not in SQL yet."""

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Read the inbox, up to its `newest` entries."""


class ValueSource(Protocol):
    """A source of conversations for contexts."""

    def seals(self, address: Address) -> Seals:
        """Return the seals for the frame around quoted conversation text."""

    def by_value(self, wanted: Wanted) -> Found | None:
        """Return the conversation at one committed state; None if nothing of it is stored."""

    def drop(self, address: Address) -> None:
        """Evict a conversation from the cache."""


class ReadSource(ValueSource, Protocol):
    """A source of stored conversations: the primary, or a replica that is checked against the inbox's stored marks."""

    def computing(self) -> AbstractContextManager[None]: ...

    def read(self, work: Callable[[ReadTransaction], _Read]) -> _Read: ...

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None: ...
