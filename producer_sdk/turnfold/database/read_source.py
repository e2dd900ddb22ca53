"""What a read of one conversation asks: an inbox, and the primary's reader or a replica's."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from turnfold.assemble.context import Context
    from turnfold.contract.keys import Address
    from turnfold.contract.seals import Seals
    from turnfold.database.known import Found, Wanted
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.redis.inbox import Pending

_Read = TypeVar("_Read")


class PendingSource(Protocol):
    """Where turns wait that are not in SQL yet."""

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Look at the inbox, at its `newest` entries at most."""


class ValueSource(Protocol):
    """Where a conversation is read for a context."""

    def seals(self, address: Address) -> Seals:
        """What may stand in the frame around what is told of a conversation."""

    def by_value(self, wanted: Wanted) -> Found | None:
        """The conversation at one committed state; None when nothing of it is stored."""

    def drop(self, address: Address) -> None:
        """Forget what is remembered of a conversation."""


class ReadSource(ValueSource, Protocol):
    """Where stored conversations are read: the primary, or a replica that is compared with the inbox's marks."""

    def computing(self) -> AbstractContextManager[None]: ...

    def read(self, work: Callable[[ReadTransaction], _Read]) -> _Read: ...

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None: ...
