"""The reads, each readable from top to bottom: Redis first, then one SQL snapshot, then pure functions.

That order is what makes a read consistent: a turn that leaves the inbox in between is already in SQL, and a turn
that is in both is dropped by its id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from turnfold.assemble import Choice, Context, Request, choose, finish
from turnfold.assemble.markers import node_marker, turns_marker
from turnfold.assemble.render_text import with_gap
from turnfold.contract.keys import Address
from turnfold.contract.records import (
    Anchor,
    AnchorState,
    AnchorType,
    Head,
    Hit,
    LevelKey,
    Snapshot,
    Status,
    StoredTurn,
    TurnState,
)
from turnfold.contract.tasks import Operation
from turnfold.edge import read_entry
from turnfold.errors import InvalidInput, UnknownConversation
from turnfold.inbox import Pending, PendingEntry
from turnfold.relevance import SEGMENT_HITS, query_terms, score_turns, snippet
from turnfold.shortening import LEAST_CAP, Shortening, cap_for

if TYPE_CHECKING:
    from turnfold.reader import Reader, ReadTransaction

NEWEST_TURNS: Final = 200
"""Inbox turns, and stored turns, that a read looks at."""


class PendingSource(Protocol):
    """Where turns wait that are not in SQL yet."""

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Look at the inbox, at its `newest` entries at most."""

    def count_read(self, address: Address, height: int, idx: int) -> None:
        """Note that a node was expanded."""


class _NoInbox:
    def peek(self, address: Address, *, newest: int) -> Pending:  # noqa: ARG002 - the protocol's form
        return Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)

    def count_read(self, address: Address, height: int, idx: int) -> None: ...


NO_INBOX: Final[PendingSource] = _NoInbox()
"""For conversations that live in SQL alone."""


def context(inbox: PendingSource, reader: Reader, address: Address, request: Request) -> Context:
    """A context within the budget."""
    pending = inbox.peek(address, newest=NEWEST_TURNS)
    cap = cap_for(request.budget_tokens)

    def look(transaction: ReadTransaction) -> tuple[Snapshot, Choice, dict[LevelKey, str]]:
        head = readable_head(transaction, address, pending)
        turns, unread = _newest_turns(transaction, head, pending, cap=cap)
        snapshot = Snapshot(conversation_id=address.conversation, head=head, turns=turns, unread=unread)
        if head is not None:
            by_value = request.policy.selection == "value"
            outline = transaction.outline(head, budget_tokens=request.budget_tokens) if by_value else None
            snapshot = replace(
                snapshot,
                nodes=() if by_value else transaction.frontier(head),
                outline=outline,
                hits=transaction.hits_for(head, outline, request.query, budget_tokens=request.budget_tokens)
                if outline is not None and request.query
                else (),
                anchors=transaction.top_anchors(head),
                excerpts=transaction.excerpts_for(head, request.query, cap=cap)
                if request.query and not by_value
                else (),
            )
        choice = choose(snapshot, request)
        return snapshot, choice, {} if head is None else transaction.texts(head, choice.wanted, snapshot.nodes)

    snapshot, choice, texts = reader.read(look)
    # After the transaction: a caller's counter may be slow.
    return finish(snapshot, request, choice, texts)


def search(inbox: PendingSource, reader: Reader, address: Address, query: str, *, limit: int) -> list[Hit]:
    """Segments that hold the query's terms, and turns that no segment holds yet, best first.

    Turns whose numbers are not known yet, because more wait than a read looks at, are found once they are stored.
    """
    terms = query_terms(query)
    pending = inbox.peek(address, newest=NEWEST_TURNS)

    def look(transaction: ReadTransaction) -> list[Hit]:
        head = readable_head(transaction, address, pending)
        turns, older = _newest_turns(transaction, head, pending, cap=LEAST_CAP)
        closed = 0 if head is None else head.closed_seq
        hits = [] if older else _turn_hits(terms, [turn for turn in turns if turn.seq > closed])
        if head is not None:
            hits += _segment_hits(transaction, head, terms, limit)
        elif not turns:
            raise unknown(address)
        return sorted(hits, key=lambda hit: (-hit.score, -hit.last_seq))[:limit]

    return reader.read(look)


def anchors(inbox: PendingSource, reader: Reader, address: Address) -> tuple[Anchor, ...]:
    """All anchors, whatever their state, in the order in which they were said."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> tuple[Anchor, ...]:
        head = readable_head(transaction, address, pending)
        if head is None and not pending.held:
            raise unknown(address)
        return () if head is None else transaction.anchors(head)

    return reader.read(look)


def status(inbox: PendingSource, reader: Reader, address: Address) -> Status:
    """How far the work is; zeros for a conversation that nobody has written to."""
    return progress(inbox, reader, address)[0]


def progress(inbox: PendingSource, reader: Reader, address: Address) -> tuple[Status, bool]:
    """How far the work is, and True when nothing more will be folded before a person has looked."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> tuple[Status, bool]:
        head = readable_head(transaction, address, pending)
        found = Status(
            conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds,
            stored=head.turn_count if head else 0, folded=head.fold_seq if head else 0,
            closed=head.closed_seq if head else 0, refined=transaction.refined_turns(head) if head else 0,
            segments=head.node_count if head else 0, anchors=head.anchor_count if head else 0,
            parked=transaction.parked(head) if head else 0,
        )  # fmt: skip
        return found, head is not None and transaction.fold_parked(head)

    return reader.read(look)


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


def _newest_turns(
    transaction: ReadTransaction, head: Head | None, pending: Pending, *, cap: int
) -> tuple[tuple[StoredTurn, ...], int]:
    """The newest 200 turns wherever they are, and about how many turns of the inbox are older than those."""
    waiting = waiting_turns(transaction, head, pending)
    stored: tuple[StoredTurn, ...] = ()
    if head is not None and not waiting.older:
        stored = transaction.newest_turns(head, cap=cap, waiting=len(waiting.turns))
    last_seq = waiting.turns[-1].seq if waiting.turns else 0
    short = Shortening.to(cap, last_seq=last_seq)
    return (*stored, *map(short.of, waiting.turns))[-NEWEST_TURNS:], waiting.older


_Member = TypeVar("_Member", AnchorType, AnchorState)


def anchors_among(
    found: Iterable[Anchor], types: Iterable[AnchorType | str] | None, states: Iterable[AnchorState | str] | None
) -> list[Anchor]:
    """Those of the given types and states; `None` means all. Raises `InvalidInput` for an unknown one."""
    wanted_types, wanted_states = _members(AnchorType, types), _members(AnchorState, states)
    return [anchor for anchor in found if anchor.type in wanted_types and anchor.state in wanted_states]


def _members(kind: type[_Member], wanted: Iterable[_Member | str] | None) -> frozenset[_Member]:
    if wanted is None:
        return frozenset(kind)
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    try:
        return frozenset(kind(name) for name in names)
    except ValueError as error:
        msg = f"{error}: use {', '.join(kind)}"
        raise InvalidInput(msg) from error


def readable_head(transaction: ReadTransaction, address: Address, pending: Pending) -> Head | None:
    """The conversation's row; None also while the rows of a forgotten one wait to be deleted."""
    return None if pending.forgotten else transaction.head(address)


def unknown(address: Address) -> UnknownConversation:
    """The error for a conversation that does not exist."""
    return UnknownConversation(
        f"nobody has written to conversation {address.conversation!r} of tenant {address.tenant!r}: append a turn first"
    )


def _snippet(turn: StoredTurn, terms: Sequence[str]) -> str:
    return snippet(f"{turn.speaker}: {with_gap(turn, ' […] ')}", terms)


def _turn_hits(terms: Sequence[str], turns: Sequence[StoredTurn]) -> list[Hit]:
    scores = score_turns(terms, turns)
    return [
        Hit(
            kind="turn", score=round(scores[turn.seq], 3), snippet=_snippet(turn, terms),
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
        turns, node_of = transaction.turns_of_segments(head, [idx for idx, _ in block], cap=LEAST_CAP)
        scores = score_turns(terms, turns)
        for idx, score in block:
            node = transaction.node(head, 0, idx)
            inside = [turn for turn in turns if node_of[turn.seq] == idx]
            if node is None or not inside:
                continue
            best = max(inside, key=lambda turn: (scores.get(turn.seq, 0.0), -turn.seq))
            hits.append(
                Hit(
                    kind="segment", score=round(score, 3), snippet=_snippet(best, terms),
                    first_seq=node.first_seq, last_seq=node.last_seq, marker=node_marker(node, level=1, short=False),
                )
            )  # fmt: skip
    return hits
