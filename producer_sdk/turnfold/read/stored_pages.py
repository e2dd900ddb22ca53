"""Pages of stored turns, segments and conversations; work that needs attention; a conversation's archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from turnfold.contract.attention import Selection, Usage, Work
from turnfold.contract.configuration import MAX_TITLE_CHARACTERS
from turnfold.contract.keys import Address, checked_id
from turnfold.contract.results import ListedConversation
from turnfold.contract.segments import Segment
from turnfold.contract.text import clean
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.errors import InvalidInput, Unavailable
from turnfold.read.pending_edits import Changes, changes_of, inbox_of
from turnfold.read.polling import StoreWait
from turnfold.read.snapshot import known_head, readable_head, unknown
from turnfold.wire.whole_numbers import turn_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from turnfold.contract.records import StoredTurn
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader
    from turnfold.redis.inbox import ProducerInbox

TURNS_A_PAGE: Final = 100
SEGMENTS_A_PAGE: Final = 100
WORK_A_PAGE: Final = 100
CONVERSATIONS_A_PAGE: Final = 50
MOST_A_PAGE: Final = 1_000
_MOST_DAYS: Final = 36_500


def turns_after(
    inbox: PendingSource, reader: ReadSource, address: Address, *, after: int, limit: int
) -> list[StoredTurn]:
    """Return up to `limit` whole turns after number `after`, in order, with pending changes applied.

    A page ends early once it has 16 Mi code points; an empty page is the last. Turns in the inbox whose numbers are
    unknown, because the inbox is longer than a read looks at, are left out. Raises `UnknownConversation`,
    `InvalidInput`.
    """
    after, limit = turn_number("after", after, least=0), _limit(limit)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[StoredTurn]:
        head = known_head(transaction, address, pending)
        changes = inbox_of(transaction, head, pending)
        page = [] if head is None else transaction.turns_after(head, after, most=limit)
        reached = page[-1].seq if page else after
        stored_turns = (changes.turn(turn) for turn in page if turn.seq <= changes.cut)
        has_all = not changes.older and reached >= changes.cut
        return [*stored_turns, *(turn for turn in changes.waiting if has_all and turn.seq > after)][:limit]

    return reader.read(look)


def newest_id(inbox: PendingSource, reader: ReadSource, address: Address) -> str | None:
    """Return the id of a conversation's newest turn, with pending changes applied; empty if it has no turns.

    None if the inbox was not read: `TURNFOLD_READS_WITHOUT_REDIS`.
    """
    pending = inbox.peek(address, newest=TURNS_A_READ)
    if pending.away:
        return None

    def look(transaction: ReadTransaction) -> str:
        head = readable_head(transaction, address, pending)
        changes = inbox_of(transaction, head, pending)
        if changes.waiting:
            return changes.waiting[-1].turn_id
        return "" if head is None else transaction.turn_ids(head, [changes.cut]).get(changes.cut, "")

    return reader.read(look)


def segments_after(
    inbox: PendingSource, reader: ReadSource, address: Address, *, after: int, limit: int, words: bool
) -> list[Segment]:
    """Return up to `limit` segments after number `after`, in order, with their texts if `words` is set.

    A segment with a pending change has no texts and no topic, since those are of the old content. Raises
    `UnknownConversation`, `InvalidInput`.
    """
    after, limit = turn_number("after", after, least=0), _limit(limit)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[Segment]:
        head = known_head(transaction, address, pending)
        if head is None:
            return []
        page = transaction.segments_after(head, after, most=limit, words=words)
        return [*_as_they_will_be(page, changes_of(transaction, head, pending))]

    return reader.read(look)


def _as_they_will_be(page: Iterable[Segment], changes: Changes) -> Iterator[Segment]:
    for segment in page:
        if segment.first_seq > changes.cut:
            return
        if changes.covers(segment.first_seq, segment.last_seq):
            node = replace(segment.node, slug="", last_seq=min(segment.last_seq, changes.cut))
            yield replace(segment, node=node, words={}, model_words={}, facts={})
        else:
            yield segment


def work_of(reader: Reader, tenant: str, conversation_id: str | None, *, limit: int) -> list[Work]:
    """Return up to `limit` pieces of work that need attention, of a tenant or one of its conversations.

    Raises `InvalidInput`.
    """
    most_pieces = _limit(limit)
    address = None if conversation_id is None else Address(tenant, checked_id("conversation id", conversation_id))
    return reader.read(
        lambda transaction: transaction.work(Selection(tenant=tenant, address=address, most=most_pieces))
    )


def usage_of(reader: Reader, tenant: str, conversation_id: str | None, *, days: int) -> list[Usage]:
    """Return model usage of the last `days` days (UTC) including today, by day and model. Raises `InvalidInput`."""
    since = datetime.now(UTC).date() - timedelta(days=min(whole_number("days", days, least=1), _MOST_DAYS) - 1)
    of = None if conversation_id is None else checked_id("conversation id", conversation_id)
    return reader.read(lambda transaction: transaction.usage(tenant, since, conversation_id=of))


class ArchiveWait:
    """Waits until everything that was in the inbox at the first poll is stored, then returns the archive."""

    def __init__(self, inbox: ProducerInbox, reader: Reader, address: Address) -> None:
        self._inbox = inbox
        self._reader = reader
        self._address = address
        self._stored = StoreWait(inbox, address)

    def look(self) -> bytes | None:
        """Return the archive, or None while turns are still in the inbox. Raises `UnknownConversation`."""
        if self._stored.look() is None:
            return None
        if self._inbox.forgotten([self._address]):
            raise unknown(self._address)
        return self._reader.archive(self._address)

    def give_up(self, timeout_seconds: float) -> bytes:
        """Raise `Unavailable`: an archive without the turns in the inbox would be incomplete."""
        msg = (
            f"turns of conversation {self._address.conversation!r} are still in the inbox after "
            f"{timeout_seconds:g} s: an archive without them would be incomplete"
        )
        raise Unavailable(msg, remedy="check that workers run (`turnfold doctor`), or raise timeout_seconds")


def conversations_after(
    inbox: ProducerInbox, reader: Reader, tenant: str, *, after: str | None, limit: int, containing: str | None = None
) -> list[ListedConversation]:
    """Return up to `limit` stored conversations of a tenant, sorted by id, after an id, without forgotten ones.

    The page is read by the key of tenant and id, so it costs the same in a table of any size. `containing`, a part of
    an id or title, scans the tenant's rows until the page is full. A page may have fewer than `limit` conversations;
    an empty page is the last. Raises `InvalidInput`.
    """
    begin, most_conversations = "" if after is None else checked_id("after", after), _limit(limit)
    words = _words(containing)
    while True:
        page = reader.read(partial(_page, tenant, begin, most_conversations, words))
        # Until a worker has hidden the rows of a forgotten conversation, only Redis knows that it was forgotten.
        gone = inbox.known_forgotten([Address(tenant, conversation.conversation_id) for conversation in page])
        standing = [conversation for conversation in page if conversation.conversation_id not in gone]
        if standing or len(page) < most_conversations:
            return standing
        begin = page[-1].conversation_id


def _words(containing: object) -> str:
    """Normalize the text to find in ids and titles as those are stored. Raises `InvalidInput`."""
    if containing is None:
        return ""
    if not isinstance(containing, str):
        raise InvalidInput(f"containing must be text, not {type(containing).__name__}")
    # No id or title is longer.
    if len(containing) > MAX_TITLE_CHARACTERS:
        raise InvalidInput(f"containing must have at most {MAX_TITLE_CHARACTERS} characters, not {len(containing)}")
    return clean(containing).strip()


def _page(
    tenant: str, after: str, most: int, containing: str, transaction: ReadTransaction
) -> list[ListedConversation]:
    return transaction.conversations_after(tenant, after, most=most, containing=containing)


def _limit(limit: object) -> int:
    number = whole_number("limit", limit, least=1)
    if number > MOST_A_PAGE:
        raise InvalidInput(f"limit must be at most {MOST_A_PAGE}, not {number}", remedy="read page by page")
    return number
