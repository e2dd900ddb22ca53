"""What a read finds at one instant: the conversation's row, and the turns that are not in SQL yet."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from turnfold.assemble import Context, Request
from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.assemble.turns import NO_TURNS
from turnfold.contract.keys import Address
from turnfold.contract.outlines import last_part
from turnfold.contract.records import OPERATORS, StoredTurn
from turnfold.contract.results import Head, Snapshot
from turnfold.contract.seals import Seals
from turnfold.contract.tasks import Operation
from turnfold.contract.turn_limits import TURNS_A_READ, Shortening, cap_for
from turnfold.database.known import AsOf, Found, Wanted
from turnfold.database.steering import steering_text
from turnfold.errors import UnknownConversation
from turnfold.redis.inbox import Pending
from turnfold.search.answerable import with_late
from turnfold.wire.decode import read_entry
from turnfold.wire.inbox_entry import InboxEntry

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ValueSource
    from turnfold.database.read_transaction import ReadTransaction


class _NoInbox:
    def peek(self, address: Address, *, newest: int) -> Pending:  # noqa: ARG002 - the protocol's form
        return Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)


NO_INBOX: Final[PendingSource] = _NoInbox()
"""For conversations that live in SQL alone."""


def readable_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """The conversation's row; None also while the rows of a forgotten one wait to be deleted."""
    return None if pending.forgotten else transaction.head(address)


def known_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """As `readable_head`. Raises `UnknownConversation` where nothing waits either."""
    head = readable_head(transaction, address, pending)
    if head is None and not pending.held:
        raise unknown(address)
    return head


def unknown(address: Address) -> UnknownConversation:
    """The error for a conversation that does not exist."""
    return UnknownConversation(
        f"nobody has written to conversation {address.conversation!r} of tenant {address.tenant!r}",
        remedy="check its id, or append a turn first (`turnfold import FILE` appends a file's)",
    )


def waiting_turns(
    transaction: ReadTransaction, head: Head | None, pending: Pending
) -> tuple[tuple[StoredTurn, ...], int]:
    """The newest turns of the inbox that the snapshot does not hold, in order, and about how many wait before those.

    What the drain will park keeps its place.
    """
    entries = [entry for entry in pending.newest if entry.operation == Operation.APPEND]
    known: Collection[str] = ()
    if head is not None and entries:
        known = transaction.stored_seqs(head, [entry.entry_id for entry in entries])
    fresh: dict[str, InboxEntry] = {}
    for entry in entries:
        if entry.entry_id not in known:
            fresh.setdefault(entry.entry_id, entry)
    older = _older(list(fresh.values()), pending)
    first_seq = (head.turn_count if head else 0) + older + 1
    return tuple(_read(entry, seq) for seq, entry in enumerate(fresh.values(), first_seq)), older


class Look(NamedTuple):
    """What a read finds of a conversation: one committed state, and the turns of the inbox that it does not hold."""

    address: Address
    request: Request
    found: Found | None
    """None when nothing of it is stored."""
    fresh: tuple[InboxEntry, ...]
    """What waits and is not stored, in order."""
    older: int
    """About how many turns wait before those."""
    seals: Seals
    away: bool
    """Nothing is known of the inbox."""

    @property
    def key(self) -> Hashable:
        """All that the context depends on beside what was found; None for one that is not remembered.

        A caller's counter is asked each time, and of a query's vector the revision does not say what is compared, nor
        of postings that were lost whether they are made again.
        """
        has_lost_postings = self.found is not None and self.found.answers.has_lost_postings
        if not self.request.counter.stored or self.request.query_vector or has_lost_postings:
            return None
        return (self.request, tuple([(entry.entry_id, entry.body) for entry in self.fresh]), self.older, self.away)

    def finished(self) -> Context | None:
        """The context, where one of the same state and request is remembered."""
        return None if self.found is None or self.key is None else self.found.context(self.key)

    def snapshot(self) -> Snapshot:
        """What a selection sees."""
        conversation, request = self.found, self.request
        stored, read = (
            (0, _read) if conversation is None else (conversation.head.turn_count, conversation.known.waiting.read)
        )
        waiting = [read(entry, seq) for seq, entry in enumerate(self.fresh, stored + self.older + 1)]
        short = Shortening.to(cap_for(request.budget_tokens), last_seq=waiting[-1].seq if waiting else 0)
        turns = NO_TURNS if conversation is None or self.older else conversation.known.turns
        turns = turns.followed_by([short.of(turn) for turn in waiting])
        turns = turns.from_place(len(turns) - TURNS_A_READ)
        if conversation is None:
            question = steering_text((), waiting, task=request.task) if request.steered else request.query
            return Snapshot(
                conversation_id=self.address.conversation, head=None, turns=turns, unread=self.older, question=question,
                system_turns=system_turns(waiting), seals=self.seals, degraded=self.away,
            )  # fmt: skip
        known, outline = conversation.known, conversation.known.outline
        likely = conversation.answers.answerable
        if likely is not None and request.query and outline is not None:
            not_folded = stored - max(outline.tail_seq, outline.last_seq) + len(waiting)
            # Of turns that are not looked at nothing is known.
            late = None if self.older or not_folded > len(turns) else turns.from_place(len(turns) - not_folded)
            likely = None if late is None else with_late(likely, request.query, [turn.content for turn in late])
        return Snapshot(
            conversation_id=self.address.conversation, head=conversation.head, turns=turns, unread=self.older,
            anchors=known.anchors, question=conversation.answers.question, hits=conversation.answers.hits,
            system_turns=(*known.system_turns, *system_turns(waiting)), seals=self.seals, degraded=self.away,
            excerpts=conversation.answers.excerpts, blocks=conversation.answers.blocks,
            told_of_blocks=conversation.answers.told_of_blocks, answerable=likely,
            has_lost_postings=conversation.answers.has_lost_postings,
            outline=None if outline is None else outline.within(
                last_part(request.budget_tokens, by_age=bool(request.policy.bands))
            ),
        )  # fmt: skip


def look_at(
    source: ValueSource, address: Address, pending: Pending, request: Request, *, whole: bool,
    as_of: AsOf | None = None,
) -> Look:  # fmt: skip
    """What is stored of a conversation, and what waits.

    Unless the `whole` of all turns is asked for, those that are not likely to be shown raise `TurnsNotRead` when they
    are looked at. `as_of`: notes that were closed later hold, and what that day's newest user turn says steers.
    """
    # Of an id that waits twice the first one counts.
    entries: dict[str, InboxEntry] = {}
    for entry in pending.newest:
        if entry.operation == Operation.APPEND:
            entries.setdefault(entry.entry_id, entry)
    if pending.forgotten:
        source.drop(address)
        conversation = None
    else:
        conversation = source.by_value(
            Wanted(
                address, request.budget_tokens, tuple(entries), request.query,
                tuple(entries.values())[-LAST_TURNS:] if request.steered else None,
                request.task, request.query_vector, request.vector_model, whole, bool(request.policy.bands),
                scope=request.scope, now=request.now, as_of=as_of,
            )
        )  # fmt: skip
    stored: Collection[str] = () if conversation is None else conversation.stored
    fresh = tuple([entry for turn_id, entry in entries.items() if turn_id not in stored])
    return Look(address, request, conversation, fresh, _older(fresh, pending), source.seals(address), pending.away)


def system_turns(turns: Iterable[StoredTurn]) -> tuple[StoredTurn, ...]:
    """Those of an operator."""
    return tuple(turn for turn in turns if turn.role in OPERATORS)


def _read(entry: InboxEntry, seq: int) -> StoredTurn:
    return read_entry(entry.body, seq=seq, turn_id=entry.entry_id)


def _older(fresh: Sequence[InboxEntry], pending: Pending) -> int:
    return pending.held - len(pending.newest) if fresh else 0
