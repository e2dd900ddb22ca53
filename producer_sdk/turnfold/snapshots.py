"""What a read finds at one instant: the conversation's row, and the turns that are not in SQL yet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from turnfold.contract.keys import Address
from turnfold.contract.records import Head, StoredTurn
from turnfold.contract.tasks import Operation
from turnfold.edge import read_entry
from turnfold.errors import UnknownConversation
from turnfold.inbox import Pending, PendingEntry

if TYPE_CHECKING:
    from turnfold.reader import ReadTransaction

NEWEST_TURNS: Final = 200
"""Inbox turns, and stored turns, that a read looks at."""


class PendingSource(Protocol):
    """Where turns wait that are not in SQL yet."""

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Look at the inbox, at its `newest` entries at most."""


class _NoInbox:
    def peek(self, address: Address, *, newest: int) -> Pending:  # noqa: ARG002 - the protocol's form
        return Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)


NO_INBOX: Final[PendingSource] = _NoInbox()
"""For conversations that live in SQL alone."""


def readable_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """The conversation's row; None also while the rows of a forgotten one wait to be deleted."""
    return None if pending.forgotten else transaction.head(address)


def unknown(address: Address) -> UnknownConversation:
    """The error for a conversation that does not exist."""
    return UnknownConversation(
        f"nobody has written to conversation {address.conversation!r} of tenant {address.tenant!r}: append a turn first"
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a snapshot does not hold of an inbox."""

    turns: tuple[StoredTurn, ...] = ()
    """The newest ones, numbered as they will be, unless `older`."""
    older: int = 0
    """About how many turns wait before those. Above 0 the numbers of `turns` only order them: what waits before them
    may be no turn, or one that is there already."""


def waiting_turns(transaction: ReadTransaction, head: Head | None, pending: Pending) -> Waiting:
    """Turns of the inbox that the snapshot does not hold, in order; what the drain will park keeps its place."""
    entries = [entry for entry in pending.newest if entry.operation == Operation.APPEND]
    known: Collection[str] = ()
    if head is not None and entries:
        known = transaction.stored_seqs(head, [entry.entry_id for entry in entries])
    fresh: dict[str, PendingEntry] = {}
    for entry in entries:
        if entry.entry_id not in known:
            fresh.setdefault(entry.entry_id, entry)
    older = pending.held - len(pending.newest) if fresh else 0
    last = (head.turn_count if head else 0) + older
    turns = tuple(
        read_entry(entry.body, seq=seq, turn_id=entry.entry_id) for seq, entry in enumerate(fresh.values(), last + 1)
    )
    return Waiting(turns, older)
