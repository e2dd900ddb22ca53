"""Inbox → SQL: store every ready conversation of a shard, verbatim and in order.

Entries leave an inbox only after the commit; readers see a prefix of it; the row locks of the store make commits
serial; uniqueness drops repeats. So leases, bells and redelivery affect latency and cost, never the outcome.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from turnfold.contract.records import ConversationId, Role, StoredTurn, TurnState
from turnfold.contract.tasks import Operation
from turnfold.edge import decode_turn, encode_turn
from turnfold.errors import InvalidTurn
from turnfold.tokens import estimate_tokens
from turnfold_worker.erase import erase_claimed
from turnfold_worker.errors import Retryable, where
from turnfold_worker.ports import (
    Claim,
    Clock,
    Inbox,
    InboxEntry,
    ParkedOperation,
    Publisher,
    Received,
    ReceivedOperation,
    ReceivedTurn,
    Store,
)

_log = logging.getLogger(__name__)

PARKED_CONTENT = "[this turn could not be stored as it was sent; see `turnfold doctor`]"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainLimits:
    """How much one drain takes at a time."""

    conversations: int
    turns: int
    slice_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What one drain did."""

    conversations: int
    turns: int


def drain(
    shard: int, *, inbox: Inbox, store: Store, publisher: Publisher, limits: DrainLimits, clock: Clock
) -> Drained:
    """Store what is ready in a shard until nothing is, or the time slice is over."""
    started = clock()
    conversations = turns = 0
    inbox.silence_bell(shard)
    while True:
        claims = inbox.claim(shard, limits.conversations)
        if not claims:
            return Drained(conversations=conversations, turns=turns)
        if len(claims) == limits.conversations and inbox.ring_bell(shard):
            # A full claim means that there is more: let another process begin.
            publisher.drain(shard)
        turns += _drain_claims(claims, inbox, store, publisher, limits)
        conversations += len(claims)
        if clock() - started > limits.slice_seconds:
            if inbox.ring_bell(shard):
                publisher.drain(shard)
            return Drained(conversations=conversations, turns=turns)


def _drain_claims(
    claims: Sequence[Claim], inbox: Inbox, store: Store, publisher: Publisher, limits: DrainLimits
) -> int:
    for claim in claims:
        if claim.forgotten_at is not None:
            erase_claimed(claim, inbox=inbox, store=store)
    # Ids are resolved before the inboxes are read: that is why nothing of a forgotten conversation returns.
    ids = dict(zip(store.resolve([claim.address for claim in claims]), claims, strict=True))
    entries = dict(zip(ids, inbox.read(list(ids.values()), limits.turns), strict=True))
    if unread := [id_ for id_, read in entries.items() if not read]:
        # Forgotten since they were claimed: a row that was made for one must not outlive the conversation.
        store.discard_unused(unread)
    batches = {id_: [receive(entry) for entry in read] for id_, read in entries.items() if read}
    stored = _store(batches, store, publisher)
    inbox.finish([
        (claim, entries[id_][-1].stream_id if id_ in stored.kept else None)
        for id_, claim in ids.items()
        if id_ not in stored.refused
    ])  # fmt: skip
    return stored.new_turns


@dataclass(slots=True)
class _Stored:
    """Outcome of a batch. What is neither kept nor refused was forgotten meanwhile, or had nothing to store."""

    kept: set[ConversationId]
    refused: set[ConversationId]
    """Left leased, so that they are tried again, but not at once and not for ever in this loop."""
    new_turns: int = 0


def _store(batches: Mapping[ConversationId, Sequence[Received]], store: Store, publisher: Publisher) -> _Stored:
    """Store all at once; if that fails, one by one, so that one conversation cannot hold up its neighbours."""
    outcome = _Stored(set(), set())
    if not batches:
        return outcome
    try:
        _store_together(batches, store, publisher, outcome)
    except Retryable:
        raise
    except Exception as error:  # noqa: BLE001 - one conversation is kept from hurting its neighbours
        _log.warning("storing %d conversations together failed: %s", len(batches), where(error))
    else:
        return outcome
    for conversation, received in batches.items():
        _store_carefully(conversation, received, store, publisher, outcome)
    return outcome


def _store_carefully(
    conversation: ConversationId,
    received: Sequence[Received],
    store: Store,
    publisher: Publisher,
    outcome: _Stored,
) -> None:
    """Store one conversation entry by entry, parking what SQL refuses."""
    for item in received:
        try:
            _store_together({conversation: [item]}, store, publisher, outcome)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001 - the entry is parked with this error, and later ones go on
            _log.warning("an entry of conversation %s was parked: %s", conversation, where(error))
            try:
                _store_together({conversation: [_parked(item, where(error))]}, store, publisher, outcome)
            except Retryable:
                raise
            except Exception as refusal:  # noqa: BLE001 - as above; it stays in the inbox
                _log.error("conversation %s cannot be stored at all: %s", conversation, where(refusal))
                outcome.refused.add(conversation)
                outcome.kept.discard(conversation)
                return


def _store_together(
    batches: Mapping[ConversationId, Sequence[Received]], store: Store, publisher: Publisher, outcome: _Stored
) -> None:
    result = store.store(batches)
    outcome.kept |= set(batches) - result.missing
    outcome.kept -= result.missing
    outcome.new_turns += result.new_turns
    for conversation in result.to_fold:
        publisher.compress(conversation)


def _parked(item: Received, error: str) -> Received:
    match item:
        case ReceivedTurn(turn=turn, parked=parked):
            entry = parked or InboxEntry("", str(Operation.APPEND), turn.turn_id, encode_turn(turn))
            return ReceivedTurn(placeholder(entry), parked=entry, error=error)
        case ReceivedOperation(operation=operation, operation_id=operation_id, body=body):
            return ParkedOperation(InboxEntry("", str(operation), operation_id, json.dumps(body).encode()), error)
        case ParkedOperation():
            return item
        case _:
            assert_never(item)


def receive(entry: InboxEntry) -> Received:
    """What an entry asks for. Total: an entry that cannot be read becomes a parked one."""
    if entry.operation == Operation.APPEND:
        try:
            return ReceivedTurn(decode_turn(entry.body, seq=0, turn_id=entry.entry_id))
        except InvalidTurn as error:
            return ReceivedTurn(placeholder(entry), parked=entry, error=str(error))
    if entry.operation == Operation.CONFIGURE:
        try:
            body = json.loads(entry.body)
        except ValueError:
            body = None
        if isinstance(body, dict):
            return ReceivedOperation(Operation.CONFIGURE, entry.entry_id, body)
        return ParkedOperation(entry, "the body of a configure operation is not a JSON object")
    return ParkedOperation(entry, f"operation {entry.operation[:16]!r} is not supported by this version")


def placeholder(entry: InboxEntry) -> StoredTurn:
    return StoredTurn(
        seq=0, turn_id=entry.entry_id, role=Role.SYSTEM, content=PARKED_CONTENT,
        tokens=estimate_tokens(PARKED_CONTENT), state=TurnState.PARKED,
    )  # fmt: skip
