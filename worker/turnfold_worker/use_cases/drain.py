"""Inbox → SQL: store every ready conversation of some shards, verbatim and in order.

Entries leave an inbox only after the commit; readers see a prefix of it; the row locks of the store serialize commits;
unique keys drop repeated entries. So leases, bells and redelivery affect latency and cost, never the outcome.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from turnfold.contract.configuration import settlement_read
from turnfold.contract.keys import checked_id
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.marks import StoredMark
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import CHANGES, JobKind, Operation
from turnfold.errors import InvalidIdentifier, InvalidInput, InvalidTurn
from turnfold.wire.decode import decode_turn, may_wait, placeholder, subject_of
from turnfold.wire.inbox_entry import InboxEntry
from turnfold.wire.turn_edits import read_change
from turnfold_worker.errors import Permanent, Retryable, Stalled, StoreAway, where
from turnfold_worker.ports.messages import (
    Claim,
    ParkedOperation,
    Received,
    ReceivedChange,
    ReceivedOperation,
    ReceivedTurn,
)
from turnfold_worker.ports.storage import Inbox, Publisher
from turnfold_worker.use_cases.due_jobs import ring
from turnfold_worker.use_cases.erase import erase_claimed

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore

_log = logging.getLogger(__name__)

OUTAGE_SECONDS = 1.0
"""Delay before inboxes are tried again after SQL or Redis was away."""

REFUSED_SECONDS = 2.0
"""Delay before a conversation that could not be stored is tried again."""

ERASING_STEPS = 20
"""Transactions that a drain spends on deleting old rows of a forgotten conversation; longer ones wait for `erase`."""

MOST_STALLED = 1
"""Conversations that may stall in one drain; if one more stalls, the database is at fault."""

NEWER_SECONDS = 10.0
"""Delay before a conversation whose next entry is an operation of a newer version is tried again."""

NEWER_TRIES = 8_640
"""Tries, about a day of them, before such an entry is parked: it may belong to no version."""

REFUSALS = 3
"""Tries before an entry is parked if the failure is not evidently the entry's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainLimits:
    """How much one drain claims at a time, over all its shards."""

    conversations: int
    turns: int
    slice_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """The result of one drain."""

    conversations: int
    turns: int


def drain(
    shards: Sequence[int],
    *,
    inbox: Inbox,
    store: SqlStore,
    publisher: Publisher,
    limits: DrainLimits,
    clock: Callable[[], float],
) -> Drained:
    """Store the ready entries of some shards until none is left or the time slice is over."""
    started = clock()
    conversations = turns = 0
    inbox.silence_bells(shards)
    waiting = list(shards)
    while waiting:
        # Entries claimed together are stored in one transaction, hence no more shards than conversations.
        some, waiting = waiting[: limits.conversations], waiting[limits.conversations :]
        # Equal shares, rounded up: a shard that does not use its share is empty, and the next round serves the other
        # shards.
        share = -(-limits.conversations // len(some))
        claims = inbox.claim(some, share)
        claimed = Counter(claim.place.shard for claim in claims)
        if len(claims) >= limits.conversations:
            # Full claims mean that more is ready: let another process begin.
            _ring([shard for shard in some if claimed[shard] == share], inbox, publisher)
        turns += _drain_claims(claims, inbox, store, publisher, limits) if claims else 0
        conversations += len(claims)
        waiting += [shard for shard in some if claimed[shard]]
        if clock() - started > limits.slice_seconds:
            _ring(waiting, inbox, publisher)
            break
    return Drained(conversations=conversations, turns=turns)


def _ring(shards: Sequence[int], inbox: Inbox, publisher: Publisher) -> None:
    for shard in shards:
        if inbox.ring_bell(shard):
            publisher.drain(shard)


def _drain_claims(
    claims: Sequence[Claim], inbox: Inbox, store: SqlStore, publisher: Publisher, limits: DrainLimits
) -> int:
    try:
        return _Batch(inbox, store, publisher).drain(claims, limits.turns)
    except Retryable:
        # Postponed for less than a lease: SQL or Redis may be back in a moment.
        with suppress(Retryable):
            inbox.postpone(claims, OUTAGE_SECONDS)
        raise


class _Batch:
    """Moves the entries of claimed inboxes from Redis to SQL."""

    def __init__(self, inbox: Inbox, store: SqlStore, publisher: Publisher) -> None:
        self._inbox = inbox
        self._store = store
        self._publisher = publisher
        self._new_turns = 0
        self._kept: set[ConversationId] = set()
        self._revisions: dict[ConversationId, int] = {}
        self._refused: list[Claim] = []
        self._newer: list[Claim] = []
        self._stalled = 0

    def drain(self, claims: Sequence[Claim], most: int) -> int:
        """Store the entries of the claimed inboxes; return the number of new turns."""
        claims = [claim for claim in claims if self._erased_if_forgotten(claim)]
        # Ids are resolved before the inboxes are read, so that nothing of a forgotten conversation returns.
        ids = dict(zip(self._store.resolve([claim.address for claim in claims]), claims, strict=True))
        entries = dict(zip(ids, self._inbox.read(list(ids.values()), most), strict=True))
        if unread := [id_ for id_, read in entries.items() if not read]:
            # Forgotten since the claim: a row just created for one must not outlive the conversation.
            self._store.discard_unused(unread)
        entries = {id_: self._understood(read, ids[id_]) for id_, read in entries.items()}
        batches = {id_: [receive(entry) for entry in read] for id_, read in entries.items() if read}
        self._store_batches(batches, ids)
        if any(isinstance(item, ReceivedChange) for received in batches.values() for item in received):
            # Changed, deleted or cut-off text was in rows that are gone, and is in the inbox still. Marked before the
            # entries go: a worker that dies in between marks them again.
            self._inbox.mark_remnants()
        # Before the entries go: a reader of a lagging replica would find them neither in SQL nor in the inbox.
        self._inbox.mark_stored({ids[id_].place: StoredMark(id_, self._revisions[id_]) for id_ in self._kept})
        self._inbox.finish([
            (claim, entries[id_][-1].stream_id if id_ in self._kept else None)
            for id_, claim in ids.items()
            if claim not in self._refused and claim not in self._newer
        ])  # fmt: skip
        self._inbox.postpone(self._refused, REFUSED_SECONDS)
        self._inbox.postpone(self._newer, NEWER_SECONDS)
        return self._new_turns

    def _understood(self, entries: list[InboxEntry], claim: Claim) -> list[InboxEntry]:
        """Return the entries before the first one that needs a newer worker; those after it wait with it."""
        first = next((place for place, entry in enumerate(entries) if is_of_newer_version(entry)), len(entries))
        if first or not entries:
            return entries[:first]
        if self._inbox.count_refusal(claim) > NEWER_TRIES:
            return entries[:1]
        _log.warning("a conversation waits for a newer worker: its first operation is %r", entries[0].operation)
        self._newer.append(claim)
        return []

    def _erased_if_forgotten(self, claim: Claim) -> bool:
        """Delete the old rows of a forgotten conversation; False when the inbox has to wait for that."""
        if claim.forgotten_at is None:
            return True
        try:
            erased = erase_claimed(claim, inbox=self._inbox, store=self._store, steps=ERASING_STEPS)
        except StoreAway:
            raise
        except Exception as error:  # noqa: BLE001 - it waits, and its neighbours go on
            self._count_if_stalled(error)
            _log.error("a forgotten conversation was not deleted: %s", where(error))
            erased = False
        if not erased:
            self._refused.append(claim)
        return erased

    def _store_batches(
        self, batches: Mapping[ConversationId, Sequence[Received]], claims: Mapping[ConversationId, Claim]
    ) -> None:
        """Store all batches at once; if that fails, one by one, so that no conversation holds up its neighbours."""
        if not batches:
            return
        try:
            self._store_together(batches)
        except StoreAway:
            raise
        except Exception as error:  # noqa: BLE001 - one conversation is kept from hurting its neighbours
            _log.warning("storing %d conversations together failed: %s", len(batches), where(error))
        else:
            return
        for conversation, received in batches.items():
            try:
                self._store_alone(conversation, received, claims[conversation])
            except StoreAway:
                raise
            except Exception as error:  # noqa: BLE001 - it stays in the inbox and is tried again
                self._count_if_stalled(error)
                _log.error("conversation %s was not stored: %s", conversation, where(error))
                self._refused.append(claims[conversation])
                self._kept.discard(conversation)

    def _count_if_stalled(self, error: Exception) -> None:
        """Raise a stall once too many conversations stalled: then the database is at fault."""
        self._stalled += isinstance(error, Stalled)
        if self._stalled > MOST_STALLED:
            raise error

    def _store_alone(self, conversation: ConversationId, received: Sequence[Received], claim: Claim) -> None:
        """Store one conversation at once, else entry by entry: a bad neighbour costs it only one commit."""
        try:
            self._store_together({conversation: received})
        except StoreAway:
            raise
        except Exception:  # noqa: BLE001 - the entry at fault is found below
            self._store_one_by_one(conversation, received, claim)

    def _store_one_by_one(self, conversation: ConversationId, received: Sequence[Received], claim: Claim) -> None:
        """Store one conversation entry by entry, parking what SQL refuses.

        Entries that fail in another way (memory, a time limit, a bug of ours) are retried a few times before they are
        parked: a healthy turn is never replaced because of a bad moment. An entry that stalls the database is never
        parked.
        """
        for item in received:
            try:
                self._store_together({conversation: [item]})
            except Retryable:
                raise
            except Exception as error:
                if not isinstance(error, Permanent) and self._inbox.count_refusal(claim) < REFUSALS:
                    raise
                _log.warning("an entry of conversation %s was parked: %s", conversation, where(error))
                self._store_together({conversation: [parked(item, where(error))]})

    def _store_together(self, batches: Mapping[ConversationId, Sequence[Received]]) -> None:
        stored = self._store.store(batches)
        self._kept |= set(batches)
        self._kept -= stored.missing
        self._new_turns += stored.new_turns
        self._revisions.update(stored.revisions)
        if stored.folds_due:
            ring(JobKind.COMPRESS, inbox=self._inbox, publisher=self._publisher)
        if stored.refolds_due:
            ring(JobKind.REFOLD, inbox=self._inbox, publisher=self._publisher)


_NAME = lazy_pattern(r"[a-z]{1,16}")
_OPERATIONS = frozenset(Operation)


def is_of_newer_version(entry: InboxEntry) -> bool:
    """Whether an entry names an operation that this version does not know, in a form that operation names have."""
    return entry.operation not in _OPERATIONS and _NAME.fullmatch(entry.operation) is not None


def parked(item: Received, error: str) -> Received:
    """Return the entry as a parked one, kept for a person; a placeholder keeps its place among the turns."""
    match item:
        case ReceivedTurn(entry=entry):
            return _placeholder(entry, error)
        case ReceivedOperation(operation=operation, operation_id=operation_id, body=body):
            return ParkedOperation(InboxEntry("", str(operation), operation_id, json.dumps(body).encode()), error)
        case ReceivedChange(entry=entry):
            return ParkedOperation(entry, error)
        case ParkedOperation():
            return item
        case _:
            assert_never(item)


def _parked_under_another_id(entry: InboxEntry, error: str) -> Received:
    """Park an entry under an id that SQL accepts, equal each time the entry is read."""
    entry = entry._replace(entry_id=f"unreadable-{entry.stream_id}")
    if entry.operation == Operation.APPEND:
        return _placeholder(entry, error)
    return ParkedOperation(entry, error)


def _placeholder(entry: InboxEntry, error: str) -> ReceivedTurn:
    turn = placeholder(entry.body, seq=0, turn_id=entry.entry_id)
    return ReceivedTurn(turn, entry, error, subject=subject_of(entry.body))


def receive(entry: InboxEntry) -> Received:
    """Decode an entry. Total: an entry that cannot be decoded becomes a parked one."""
    try:
        checked_id("an entry's id", entry.entry_id)
    except InvalidIdentifier as error:
        return _parked_under_another_id(entry, str(error))
    if entry.operation == Operation.APPEND:
        try:
            turn = decode_turn(entry.body, seq=0, turn_id=entry.entry_id)
            return ReceivedTurn(turn, entry, may_wait=may_wait(entry.body), subject=subject_of(entry.body))
        except InvalidTurn as error:
            return _placeholder(entry, str(error))
    return _receive_operation(entry)


def _receive_operation(entry: InboxEntry) -> Received:
    if entry.operation == Operation.CONFIGURE:
        try:
            body = json.loads(entry.body)
        except (ValueError, RecursionError):
            body = None
        if isinstance(body, dict):
            return ReceivedOperation(Operation.CONFIGURE, entry.entry_id, body)
        return ParkedOperation(entry, "the body of a configure operation is not a JSON object")
    try:
        if entry.operation == Operation.RESOLVE:
            return ReceivedOperation(Operation.RESOLVE, entry.entry_id, settlement_read(entry.body))
        if entry.operation in CHANGES:
            return ReceivedChange(read_change(entry.operation, entry.body), entry)
    except InvalidInput as error:
        return ParkedOperation(entry, str(error))
    return ParkedOperation(entry, f"operation {entry.operation[:16]!r} is not supported by this version")
