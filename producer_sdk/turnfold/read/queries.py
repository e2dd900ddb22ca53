"""The main reads, each readable from top to bottom: Redis first, then one SQL snapshot, then pure functions.

This order makes a read consistent: a turn that leaves the inbox in between is already in SQL, and a turn that is in
both is deduplicated by its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from turnfold.assemble import Choice, Context, Request, choose, finish
from turnfold.assemble.turns import TurnsNotRead
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, ConversationId, LevelKey
from turnfold.contract.results import Status
from turnfold.contract.turn_limits import TURNS_A_READ, cap_for
from turnfold.contract.wanted_anchors import EVERY_ANCHOR, WantedAnchors
from turnfold.dates.validity import checked_as_of
from turnfold.read import expand as expansion
from turnfold.read.anchor_pages import anchor_page
from turnfold.read.past_days import past_snapshot
from turnfold.read.pending_edits import changed_snapshot, changes_by, changes_of, has_changes
from turnfold.read.segment_tiers import with_tiers
from turnfold.read.snapshot import Look, known_head, look_at, readable_head
from turnfold.redis.expansion_counter import UNCOUNTED, ExpansionCounter
from turnfold.redis.inbox import Pending

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction


def context(
    inbox: PendingSource,
    reader: ReadSource,
    address: Address,
    request: Request,
    *,
    access: ExpansionCounter = UNCOUNTED,
) -> Context:
    """Read a context within the budget of a request."""
    pending = inbox.peek(address, newest=TURNS_A_READ)
    with reader.computing():
        return _context(reader, address, pending, request, access)


def _context(
    reader: ReadSource, address: Address, pending: Pending, request: Request, access: ExpansionCounter
) -> Context:
    tiers = request.policy.tiers
    is_plain = request.scope.is_all and request.as_of is None and tiers is None
    if is_plain and not request.expand and not has_changes(pending):
        made = _from_memory(reader, address, pending, request)
        if made is not None:
            return made

    def look(transaction: ReadTransaction) -> tuple[Choice, dict[LevelKey, str]]:
        past = None
        if request.as_of is not None:
            past = past_snapshot(transaction, address, pending, request, request.as_of)
        snapshot = past or look_at(transaction, address, pending, request, whole=True).snapshot()
        head = snapshot.head
        if request.expand:
            passages = expansion.passages(transaction, address, head, pending, request, access=access)
            snapshot = replace(snapshot, passages=passages)
        if tiers is not None:
            snapshot = with_tiers(transaction, snapshot, query=request.query or snapshot.question, rules=tiers)
            head = snapshot.head
        if past is None and has_changes(pending):
            changes = changes_of(transaction, head, pending)
            snapshot = changed_snapshot(transaction, snapshot, changes, cap=cap_for(request.budget_tokens))
        if not request.scope.is_all:
            snapshot = request.scope.snapshot(snapshot)
        choice = choose(snapshot, request)
        return choice, {} if head is None else transaction.texts(head, choice.wanted)

    choice, texts = reader.read(look)
    # Outside the transaction: a caller's counter may be slow.
    return finish(choice, texts)


def _from_memory(reader: ReadSource, address: Address, pending: Pending, request: Request) -> Context | None:
    """Build a context from the cached conversation; None if a text that it needs belongs to a newer state."""
    for whole in (False, True):
        look = look_at(reader, address, pending, request, whole=whole)
        if (known := look.finished()) is not None:
            return known
        try:
            made = _made(look, reader)
        except TurnsNotRead:
            # More turns are shown verbatim than were read: try again with all of them.
            continue
        if made is not None and look.found is not None and look.key is not None:
            reader.keep(address, look.found, look.key, made)
        return made
    return None


def _made(look: Look, reader: ReadSource) -> Context | None:
    """Build the context of a look; None if the texts that it needs have changed since."""
    choice = choose(look.snapshot(), look.request, None if look.found is None else look.found.known.memo)
    texts: dict[LevelKey, str] | None = {}
    if choice.wanted:
        texts = reader.read(lambda transaction: _texts_of_state(transaction, look, choice.wanted))
    return None if texts is None else finish(choice, texts)


def _texts_of_state(transaction: ReadTransaction, look: Look, wanted: Sequence[LevelKey]) -> dict[LevelKey, str] | None:
    """Read level texts of the state that a look found; None if the conversation has changed since."""
    head = transaction.head(look.address)
    if head is None or look.found is None or not look.found.known.is_of(head):
        return None
    return transaction.texts(look.found.head, wanted)


def anchors(
    inbox: PendingSource,
    reader: ReadSource,
    address: Address,
    *,
    as_of: datetime | None = None,
    wanted: WantedAnchors = EVERY_ANCHOR,
) -> tuple[Anchor, ...]:
    """Read a page of anchors in the order of their turns; `as_of` in their states at the end of that day."""
    checked_as_of(as_of)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> tuple[Anchor, ...]:
        head = known_head(transaction, address, pending)
        if head is None:
            return ()
        past = None if as_of is None else changes_by(transaction, head, pending, as_of)
        return anchor_page(
            transaction.anchors(head), wanted, changes=changes_of(transaction, head, pending),
            last_seq=None if past is None else past.cut,
        )  # fmt: skip

    return reader.read(look)


def anchor(inbox: PendingSource, reader: ReadSource, address: Address, id_: int) -> Anchor | None:
    """Read the anchor with an id, in any state; None if there is none."""
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> Anchor | None:
        head = known_head(transaction, address, pending)
        stored_anchor = None if head is None else transaction.anchor(head, id_)
        if stored_anchor is None:
            return None
        return next(iter(changes_of(transaction, head, pending).anchors([stored_anchor])), None)

    return reader.read(look)


def status(inbox: PendingSource, reader: ReadSource, address: Address) -> Status:
    """Read how far the work on a conversation is; zeros for a conversation without turns."""
    return progress(inbox, reader, address).status


def refolding(reader: ReadSource, address: Address) -> bool:
    """Whether a segment still has to be folded again because one of its turns was changed."""

    def look(transaction: ReadTransaction) -> bool:
        head = transaction.head(address)
        return head is not None and transaction.progress(head).refolding()

    return reader.read(look)


class Progress(NamedTuple):
    """How far the work on a conversation is."""

    status: Status
    is_stopped: bool = False
    """Whether a parked fold blocks all further folding until somebody retries or skips it."""
    conversation: ConversationId | None = None
    """None: nothing is stored yet."""


def progress(inbox: PendingSource, reader: ReadSource, address: Address) -> Progress:
    """Read how far the work on a conversation is, whether it is blocked, and the conversation's row id."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> Progress:
        head = readable_head(transaction, address, pending)
        if head is None:
            return Progress(Status(
                conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds, stored=0,
                folded=0, closed=0, refined=0, segments=0, anchors=0, parked=0,
            ))  # fmt: skip
        work = transaction.progress(head)
        current = Status(
            conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds,
            stored=head.turn_count, folded=head.fold_seq, closed=head.closed_seq, refined=work.refined_turns(),
            segments=head.node_count, anchors=head.anchor_count, parked=work.parked(),
        )  # fmt: skip
        return Progress(current, work.fold_parked(), head.id)

    return reader.read(look)
