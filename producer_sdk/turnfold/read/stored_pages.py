"""What is stored: the turns of a conversation and the conversations of a tenant by pages, a conversation as a whole."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from turnfold.contract.keys import Address, checked_id
from turnfold.contract.results import ListedConversation
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.errors import InvalidInput, Unavailable
from turnfold.read.pending_edits import changes_of
from turnfold.read.polling import StoreWait
from turnfold.read.snapshot import readable_head, unknown, waiting_turns
from turnfold.wire.whole_numbers import whole_number

if TYPE_CHECKING:
    from turnfold.contract.records import StoredTurn
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader
    from turnfold.read.snapshot import PendingSource
    from turnfold.redis.inbox import ProducerInbox

TURNS_A_PAGE: Final = 100
CONVERSATIONS_A_PAGE: Final = 50
MOST_A_PAGE: Final = 1_000


def turns_after(inbox: PendingSource, reader: Reader, address: Address, *, after: int, limit: int) -> list[StoredTurn]:
    """At most `limit` turns behind number `after`, whole, in order, as what waits in the inbox will have made them.

    Fewer where they are large: a page ends once it has 16 Mi code points; an empty one is the last. Those of the inbox
    whose numbers are not known yet, because more wait than a read looks at, are left out. Raises `UnknownConversation`,
    `InvalidInput`.
    """
    after, limit = whole_number("after", after, least=0), _limit(limit)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[StoredTurn]:
        head = readable_head(transaction, address, pending)
        if head is None and not pending.held:
            raise unknown(address)
        changes = changes_of(transaction, head, pending)
        found = [] if head is None else transaction.turns_after(head, after, most=limit)
        reached = found[-1].seq if found else after
        if changes is None:
            end = head.turn_count if head else 0
            waiting, older = waiting_turns(transaction, head, pending)
        else:
            found = [changes.turn(turn) for turn in found if turn.seq <= changes.cut]
            end, waiting, older = changes.cut, changes.waiting, changes.older
        numbered = () if older or reached < end else (turn for turn in waiting if turn.seq > after)
        return [*found, *numbered][:limit]

    return reader.read(look)


class ArchiveWait:
    """Until everything that was in the inbox at the first look is stored; then the conversation's archive."""

    def __init__(self, inbox: ProducerInbox, reader: Reader, address: Address) -> None:
        self._inbox = inbox
        self._reader = reader
        self._address = address
        self._stored = StoreWait(inbox, address)

    def look(self) -> bytes | None:
        """The archive, or None while something waits. Raises `UnknownConversation`."""
        if self._stored.look() is None:
            return None
        if self._inbox.forgotten([self._address]):
            raise unknown(self._address)
        return self._reader.archive(self._address)

    def give_up(self, timeout_seconds: float) -> bytes:
        """Raise `Unavailable`: an archive without what waits would not be whole."""
        msg = (
            f"what was appended to conversation {self._address.conversation!r} still waits in the inbox after "
            f"{timeout_seconds:g} s, and an archive without it would not be whole: is a worker running? "
            "See `turnfold doctor`; a larger timeout_seconds waits longer"
        )
        raise Unavailable(msg)


def conversations_after(
    inbox: ProducerInbox, reader: Reader, tenant: str, *, after: str | None, limit: int
) -> list[ListedConversation]:
    """At most `limit` stored conversations of a tenant by name, behind a name, without those that were forgotten.

    The page is read by the key of tenant and name, so it costs the same in any table. Fewer than `limit` may be left of
    a page; an empty one is the last. Raises `InvalidInput`.
    """
    begin, most = "" if after is None else checked_id("after", after), _limit(limit)
    while True:
        page = reader.read(partial(_page, tenant, begin, most))
        # A worker hides the rows of one that was forgotten; until then Redis alone knows.
        gone = inbox.forgotten([Address(tenant, one.conversation_id) for one in page])
        standing = [one for one in page if one.conversation_id not in gone]
        if standing or len(page) < most:
            return standing
        begin = page[-1].conversation_id


def _page(tenant: str, after: str, most: int, transaction: ReadTransaction) -> list[ListedConversation]:
    return transaction.conversations_after(tenant, after, most=most)


def _limit(limit: object) -> int:
    found = whole_number("limit", limit, least=1)
    if found > MOST_A_PAGE:
        msg = f"limit must be at most {MOST_A_PAGE}, not {found}: read one page after the other"
        raise InvalidInput(msg)
    return found
