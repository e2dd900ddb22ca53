"""The state of a conversation at one instant: its row, and the turns that are not in SQL yet."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from turnfold.assemble import Context, Request
from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.assemble.turns import NO_TURNS, Turns
from turnfold.contract.keys import Address
from turnfold.contract.outlines import Outline, last_part
from turnfold.contract.records import OPERATORS, StoredTurn
from turnfold.contract.results import Head, Snapshot
from turnfold.contract.seals import Seals
from turnfold.contract.tasks import Operation
from turnfold.contract.terms import terms
from turnfold.contract.turn_limits import TURNS_A_READ, Shortening, cap_for
from turnfold.database.conversation_cache import AsOf, Found, Wanted
from turnfold.database.steering import steering_text
from turnfold.errors import UnknownConversation
from turnfold.redis.inbox import Pending
from turnfold.search.answerable import with_late
from turnfold.search.query_times import QueryTimes
from turnfold.search.relevance import day_terms
from turnfold.wire.decode import read_entry
from turnfold.wire.inbox_entry import InboxEntry

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ValueSource
    from turnfold.database.read_transaction import ReadTransaction


class _NoInbox:
    def peek(self, address: Address, *, newest: int) -> Pending:  # noqa: ARG002 - the protocol's form
        return Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)


NO_INBOX: Final[PendingSource] = _NoInbox()
"""The empty inbox, for conversations that are in SQL alone."""


def readable_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """Return the conversation's head; None if there is none, or if it was forgotten and awaits deletion."""
    return None if pending.forgotten else transaction.head(address)


def known_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """Return the head as `readable_head` does. Raises `UnknownConversation` if the inbox is empty too."""
    head = readable_head(transaction, address, pending)
    if head is None and not pending.held:
        raise unknown(address)
    return head


def unknown(address: Address) -> UnknownConversation:
    """Make the error for a conversation that does not exist."""
    return UnknownConversation(
        f"no turns were appended to conversation {address.conversation!r} of tenant {address.tenant!r}, or it was "
        "forgotten",
        remedy="check its id, or append a turn first (`turnfold import FILE` appends a file's)",
    )


def waiting_turns(
    transaction: ReadTransaction, head: Head | None, pending: Pending
) -> tuple[tuple[StoredTurn, ...], int]:
    """Return the newest turns of the inbox that are not stored, in order, and about how many more precede them.

    A turn that the drain will park keeps its place.
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
    """The state that a read sees: one committed state from SQL, and the inbox's turns that are not part of it."""

    address: Address
    request: Request
    found: Found | None
    """None if nothing is stored."""
    fresh: tuple[InboxEntry, ...]
    """Turns in the inbox that are not stored, in order."""
    older: int
    """Approximate number of turns in the inbox before `fresh`."""
    seals: Seals
    away: bool
    """Whether Redis did not answer, so that the inbox is unknown."""

    @property
    def key(self) -> Hashable:
        """Cache key of the context: everything that it depends on besides the stored state; None if not cacheable.

        Not cacheable are contexts with a caller's own counter, with a query vector, since the revision does not cover
        the stored vectors, and after lost postings, which may be restored without a new revision.
        """
        has_lost_postings = self.found is not None and self.found.answers.has_lost_postings
        if not self.request.counter.stored or self.request.query_vector or has_lost_postings:
            return None
        return (self.request, tuple([(entry.entry_id, entry.body) for entry in self.fresh]), self.older, self.away)

    def finished(self) -> Context | None:
        """Return the cached context of the same state and request; None if there is none."""
        return None if self.found is None or self.key is None else self.found.context(self.key)

    def snapshot(self) -> Snapshot:
        """Return the snapshot that a context is chosen from."""
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
            likely = self._likely(
                likely, request.query, turns, outline, conversation.answers.times, last_seq=stored + len(waiting)
            )
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

    def _likely(
        self, likely: float, query: str, turns: Turns, outline: Outline, times: QueryTimes, *, last_seq: int
    ) -> float | None:
        """Raise the likelihood of an answer by turns that no search finds; None if not all of them were read."""
        not_folded = last_seq - max(outline.tail_seq, outline.last_seq)
        if self.older or not_folded > len(turns):
            return None
        tail = turns.from_place(max(0, len(turns) - (last_seq - outline.last_seq)))
        wanted_times = frozenset(times.terms)
        of_time = [turn for turn in tail if not wanted_times.isdisjoint(day_terms(turn))] if wanted_times else []
        speakers = frozenset(chain.from_iterable(terms(turn.speaker) for turn in of_time))
        late = [turn.content for turn in turns.from_place(len(turns) - not_folded)]
        return with_late(likely, query, late, matched=times.named | speakers if of_time else ())


def look_at(
    source: ValueSource, address: Address, pending: Pending, request: Request, *, whole: bool,
    as_of: AsOf | None = None,
) -> Look:  # fmt: skip
    """Read what is stored of a conversation, and combine it with the inbox.

    Without `whole`, turns that are unlikely to be shown are not read, and accessing them raises `TurnsNotRead`. With
    `as_of`, notes closed after that day are still active, and the day's newest user turn steers the selection.
    """
    # The first entry of a duplicate id counts.
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
    """Return the turns of an operator."""
    return tuple(turn for turn in turns if turn.role in OPERATORS)


def _read(entry: InboxEntry, seq: int) -> StoredTurn:
    return read_entry(entry.body, seq=seq, turn_id=entry.entry_id)


def _older(fresh: Sequence[InboxEntry], pending: Pending) -> int:
    return pending.held - len(pending.newest) if fresh else 0
