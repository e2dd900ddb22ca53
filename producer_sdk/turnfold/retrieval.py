"""The reads, each readable from top to bottom: Redis first, then one SQL snapshot, then pure functions.

That order is what makes a read consistent: a turn that leaves the inbox in between is already in SQL, and a turn
that is in both is dropped by its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from turnfold.assemble import Choice, Context, Request, choose, finish
from turnfold.assemble.markers import node_marker, turns_marker
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, Head, Hit, LevelKey, Snapshot, Status, StoredTurn, TurnState
from turnfold.contract.tasks import Operation
from turnfold.edge import decode_turn
from turnfold.errors import InvalidTurn, UnknownConversation
from turnfold.inbox import Pending, PendingEntry
from turnfold.relevance import SEGMENT_HITS, query_terms, score_turns, snippet

if TYPE_CHECKING:
    from turnfold.reader import Reader, ReadTransaction

NEWEST_TURNS: Final = 200
"""Inbox turns, and stored turns, that a read looks at."""

_CAP_A_TOKEN: Final = 16
_LEAST_CAP: Final = 4_096


class PendingSource(Protocol):
    """Where turns wait that are not in SQL yet."""

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Look at the inbox, at its `newest` entries at most."""


class _NoInbox:
    def peek(self, address: Address, *, newest: int) -> Pending:  # noqa: ARG002 - the protocol's form
        return Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0, first_id="")


NO_INBOX: Final[PendingSource] = _NoInbox()
"""For conversations that live in SQL alone."""


def context(inbox: PendingSource, reader: Reader, address: Address, request: Request) -> Context:
    """A context within the budget."""
    pending = inbox.peek(address, newest=NEWEST_TURNS)
    # No text of this many characters a token fits the budget: what is cut off could not have been shown.
    cap = max(_LEAST_CAP, request.budget_tokens * _CAP_A_TOKEN)

    def look(transaction: ReadTransaction) -> tuple[Snapshot, Choice, dict[LevelKey, str]]:
        head = readable_head(transaction, address, pending)
        turns, unread = _newest_turns(transaction, head, pending, cap=cap)
        snapshot = Snapshot(conversation_id=address.conversation, head=head, turns=turns, unread=unread)
        if head is not None:
            snapshot = replace(
                snapshot,
                nodes=transaction.frontier(head),
                anchors=transaction.top_anchors(head),
                excerpts=transaction.excerpts_for(head, request.query, cap=cap) if request.query else (),
            )
        choice = choose(snapshot, request)
        return snapshot, choice, {} if head is None else transaction.texts(head, choice.wanted)

    snapshot, choice, texts = reader.read(look)
    # After the transaction: a caller's counter may be slow.
    return finish(snapshot, request, choice, texts)


def search(inbox: PendingSource, reader: Reader, address: Address, query: str, *, limit: int) -> list[Hit]:
    """Segments that hold the query's terms, and turns that no segment holds yet, best first."""
    terms = query_terms(query)
    pending = inbox.peek(address, newest=NEWEST_TURNS)

    def look(transaction: ReadTransaction) -> list[Hit]:
        head = readable_head(transaction, address, pending)
        turns, _ = _newest_turns(transaction, head, pending, cap=_LEAST_CAP)
        closed = 0 if head is None else head.closed_seq
        hits = _turn_hits(terms, [turn for turn in turns if turn.seq > closed])
        if head is not None:
            hits += _segment_hits(transaction, head, terms, limit)
        elif not turns:
            raise unknown(address)
        return sorted(hits, key=lambda hit: (-hit.score, -hit.last_seq))[:limit]

    return reader.read(look)


def anchors(inbox: PendingSource, reader: Reader, address: Address) -> tuple[Anchor, ...]:
    """All anchors, whatever their state, in merge order."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> tuple[Anchor, ...]:
        head = readable_head(transaction, address, pending)
        if head is None and not pending.held:
            raise unknown(address)
        return () if head is None else transaction.anchors(head)

    return reader.read(look)


def status(inbox: PendingSource, reader: Reader, address: Address) -> Status:
    """How far the work is; zeros for a conversation that nobody has written to."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> Status:
        head = readable_head(transaction, address, pending)
        return Status(
            conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds,
            stored=head.turn_count if head else 0, folded=head.fold_seq if head else 0,
            closed=head.closed_seq if head else 0, segments=head.node_count if head else 0,
            anchors=head.anchor_count if head else 0, parked=transaction.parked(head) if head else 0,
        )  # fmt: skip

    return reader.read(look)


def waiting_turns(
    transaction: ReadTransaction, head: Head | None, pending: Pending
) -> tuple[tuple[StoredTurn, ...], int]:
    """Turns of the inbox that the snapshot does not hold, numbered as they will be; and how many older ones wait."""
    waiting = [entry for entry in pending.newest if entry.operation == Operation.APPEND]
    known: dict[str, int] = {}
    if head is not None and pending.held:
        known = transaction.stored_seqs(head, [pending.first_id, *(entry.entry_id for entry in waiting)])
    stored = head.turn_count if head else 0
    before = _turns_before(pending, waiting, known, stored)
    fresh: dict[str, StoredTurn] = {}
    for entry in waiting:
        if entry.entry_id not in known and entry.entry_id not in fresh:
            with suppress(InvalidTurn):  # the drain will park it
                seq = before + len(fresh) + 1
                fresh[entry.entry_id] = decode_turn(entry.body, seq=seq, turn_id=entry.entry_id)
    return tuple(fresh.values()), before - stored


def _turns_before(pending: Pending, waiting: Sequence[PendingEntry], known: Mapping[str, int], stored: int) -> int:
    """Turns before the first one that waits and was fetched: `stored` of them, and those of a long inbox."""
    unfetched = pending.held - len(pending.newest)
    if not unfetched or not waiting or waiting[0].entry_id in known:
        # Entries leave in order: what is older than a stored one is stored.
        return stored
    # A worker may have stored some of the unfetched ones since: the number that the oldest got tells how many.
    return max(known.get(pending.first_id, stored + 1) - 1 + unfetched, stored)


def _newest_turns(
    transaction: ReadTransaction, head: Head | None, pending: Pending, *, cap: int
) -> tuple[tuple[StoredTurn, ...], int]:
    """The newest 200 turns wherever they are, and how many turns of the inbox are older than those."""
    fresh, older = waiting_turns(transaction, head, pending)
    stored = transaction.newest_turns(head, cap=cap) if head is not None and not older else ()
    return (*stored, *fresh)[-NEWEST_TURNS:], older


def readable_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """The conversation's row; None also while the rows of a forgotten one wait to be deleted."""
    return None if pending.forgotten else transaction.head(address)


def unknown(address: Address) -> UnknownConversation:
    """The error for a conversation that does not exist."""
    return UnknownConversation(
        f"nobody has written to conversation {address.conversation!r} of tenant {address.tenant!r}: append a turn first"
    )


def _turn_hits(terms: Sequence[str], turns: Sequence[StoredTurn]) -> list[Hit]:
    scores = score_turns(terms, turns)
    return [
        Hit(
            kind="turn", score=round(scores[turn.seq], 3), snippet=snippet(f"{turn.speaker}: {turn.content}", terms),
            first_seq=turn.seq, last_seq=turn.seq, marker=turns_marker(turn.seq, turn.seq),
        )
        for turn in turns
        if turn.seq in scores and turn.state is TurnState.STORED
    ]  # fmt: skip


def _segment_hits(transaction: ReadTransaction, head: Head, terms: Sequence[str], limit: int) -> list[Hit]:
    hits: list[Hit] = []
    ranked = transaction.segments_for(head, terms)[:limit]
    for start in range(0, len(ranked), SEGMENT_HITS):
        block = ranked[start : start + SEGMENT_HITS]
        turns, node_of = transaction.turns_of_segments(head, [idx for idx, _ in block], cap=_LEAST_CAP)
        scores = score_turns(terms, turns)
        for idx, score in block:
            node = transaction.node(head, 0, idx)
            inside = [turn for turn in turns if node_of[turn.seq] == idx]
            if node is None or not inside:
                continue
            best = max(inside, key=lambda turn: (scores.get(turn.seq, 0.0), -turn.seq))
            hits.append(
                Hit(
                    kind="segment", score=round(score, 3), snippet=snippet(f"{best.speaker}: {best.content}", terms),
                    first_seq=node.first_seq, last_seq=node.last_seq, marker=node_marker(node, level=1, short=False),
                )
            )  # fmt: skip
    return hits
