"""The reads, each readable from top to bottom: Redis first, then one SQL snapshot, then pure functions.

That order is what makes a read consistent: a turn that leaves the inbox in between is already in SQL, and a turn
that is in both is dropped by its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from turnfold import expansion
from turnfold.access import UNCOUNTED, ExpansionCounter
from turnfold.assemble import Choice, Context, Request, choose, finish
from turnfold.assemble.forms.markers import node_marker, turns_marker
from turnfold.assemble.forms.render_text import with_gap
from turnfold.assemble.turns import TurnsNotRead
from turnfold.client_inputs import members
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorState, AnchorType, LevelKey, StoredTurn, TurnState
from turnfold.contract.results import Head, Hit, Snapshot, Status
from turnfold.inbox import Pending
from turnfold.past_days import past_snapshot
from turnfold.pending_changes import Changes, changed_snapshot, changes_by, changes_of, has_changes, newest_turns
from turnfold.relations import with_linked_names
from turnfold.relevance import SEGMENT_HITS, query_terms, score_segments, score_turns, snippet, term_weights
from turnfold.segment_tiers import with_tiers
from turnfold.shortening import LEAST_CAP, TURNS_A_READ, Shortening, cap_for
from turnfold.snapshots import Look, PendingSource, look_at, readable_head, unknown, waiting_turns
from turnfold.turn_parts import answering_parts
from turnfold.validity import anchors_up_to, checked_as_of

if TYPE_CHECKING:
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader
    from turnfold.passage_scores import PostingRow


def context(
    inbox: PendingSource,
    reader: Reader,
    address: Address,
    request: Request,
    *,
    access: ExpansionCounter = UNCOUNTED,
) -> Context:
    """A context within the budget."""
    pending = inbox.peek(address, newest=TURNS_A_READ)
    tiers = request.policy.tiers
    if not request.expand and tiers is None and request.as_of is None and not has_changes(pending):
        made = _from_memory(reader, address, pending, request)
        if made is not None:
            return made

    def look(transaction: ReadTransaction) -> tuple[Snapshot, Choice, dict[LevelKey, str]]:
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
        changes = None if past else changes_of(transaction, head, pending)
        if changes is not None:
            snapshot = changed_snapshot(transaction, snapshot, changes, cap=cap_for(request.budget_tokens))
        choice = choose(snapshot, request)
        return snapshot, choice, {} if head is None else transaction.texts(head, choice.wanted)

    snapshot, choice, texts = reader.read(look)
    # After the transaction: a caller's counter may be slow.
    return finish(snapshot, request, choice, texts)


def _from_memory(reader: Reader, address: Address, pending: Pending, request: Request) -> Context | None:
    """A context of what is remembered of the conversation; None where a text it needs belongs to another state."""
    for whole in (False, True):
        look = look_at(reader, address, pending, request, whole=whole)
        if (known := look.finished()) is not None:
            return known
        try:
            made = _made(look, reader)
        except TurnsNotRead:
            # More turns are shown raw than was to be expected: once more, with all of them.
            continue
        if made is not None and look.found is not None and look.key is not None:
            reader.keep(address, look.found, look.key, made)
        return made
    return None


def _made(look: Look, reader: Reader) -> Context | None:
    """The context of what a read found; None where the texts that it needs have changed since."""
    snapshot = look.snapshot()
    choice = choose(snapshot, look.request, None if look.found is None else look.found.known.memo)
    texts: dict[LevelKey, str] | None = {}
    if choice.wanted:
        texts = reader.read(lambda transaction: _texts_of_state(transaction, look, choice.wanted))
    return None if texts is None else finish(snapshot, look.request, choice, texts)


def _texts_of_state(transaction: ReadTransaction, look: Look, wanted: Sequence[LevelKey]) -> dict[LevelKey, str] | None:
    """Texts of levels, from the state that a read found; None where there is another one by now."""
    head = transaction.head(look.address)
    if head is None or look.found is None or not look.found.known.is_of(head):
        return None
    return transaction.texts(look.found.head, wanted)


def search(inbox: PendingSource, reader: Reader, address: Address, query: str, *, limit: int) -> list[Hit]:
    """Segments that hold the query's terms, and turns that no segment holds yet, best first.

    Who is meant by "Ana's sister" is found by name too, where a relation names her.

    Turns whose numbers are not known yet, because more wait than a read looks at, are found once they are stored.
    """
    words = query_terms(query)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[Hit]:
        head = readable_head(transaction, address, pending)
        changes = changes_of(transaction, head, pending)
        if changes is None:
            turns, older = _newest_turns(transaction, head, pending, cap=LEAST_CAP)
        else:
            turns, older = newest_turns(transaction, head, changes, cap=LEAST_CAP)
        closed = 0 if head is None else head.closed_seq
        terms = with_linked_names(words, transaction.top_relations(head)) if head is not None and words else words
        open_turns = [] if older else [turn for turn in turns if turn.seq > closed or _changing(changes, turn.seq)]
        if head is not None and head.node_count:
            rows = transaction.postings(head, terms)
            postings = [(term, idx, weight) for term, idx, weight, _ in rows]
            # By the same measure as segments, or what was said last would be before what answers better.
            weights = term_weights(terms, postings, segments=head.node_count)
            hits = _turn_hits(terms, open_turns, weights)
            ranked = score_segments(postings, segments=head.node_count)[:limit]
            found = _segment_hits(transaction, head, terms, ranked, rows)
            hits += [hit for hit in found if changes is None or not changes.covers(hit.first_seq, hit.last_seq)]
        elif head is None and not turns:
            raise unknown(address)
        else:
            hits = _turn_hits(terms, open_turns)
        return sorted(hits, key=lambda hit: (-hit.score, -hit.last_seq))[:limit]

    return reader.read(look)


def _changing(changes: Changes | None, seq: int) -> bool:
    """Whether a turn that is in a segment is found by itself: its segment is not, until it is folded again."""
    return changes is not None and seq in changes.changed


def anchors(
    inbox: PendingSource, reader: Reader, address: Address, *, as_of: datetime | None = None
) -> tuple[Anchor, ...]:
    """All anchors, whatever their state, in the order in which they were said; `as_of` a day those of then."""
    checked_as_of(as_of)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> tuple[Anchor, ...]:
        head = readable_head(transaction, address, pending)
        if head is None and not pending.held:
            raise unknown(address)
        found = () if head is None else transaction.anchors(head)
        changes = changes_of(transaction, head, pending)
        past = None if as_of is None else changes_by(transaction, head, pending, as_of)
        found = found if past is None else anchors_up_to(found, past.cut)
        return found if changes is None else changes.anchors(found)

    return reader.read(look)


def anchor(inbox: PendingSource, reader: Reader, address: Address, id_: int) -> Anchor | None:
    """One anchor, whatever its state; None where there is none of this id."""
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> Anchor | None:
        head = readable_head(transaction, address, pending)
        if head is None and not pending.held:
            raise unknown(address)
        found = None if head is None else transaction.anchor(head, id_)
        changes = None if found is None else changes_of(transaction, head, pending)
        return found if found is None or changes is None else next(iter(changes.anchors([found])), None)

    return reader.read(look)


def status(inbox: PendingSource, reader: Reader, address: Address) -> Status:
    """How far the work is; zeros for a conversation that nobody has written to."""
    return progress(inbox, reader, address)[0]


def refolding(reader: Reader, address: Address) -> bool:
    """Whether a segment of which a turn was changed is still to be folded again."""

    def look(transaction: ReadTransaction) -> bool:
        head = transaction.head(address)
        return head is not None and transaction.progress(head).refolding()

    return reader.read(look)


def progress(inbox: PendingSource, reader: Reader, address: Address) -> tuple[Status, bool]:
    """How far the work is, and True when nothing more will be folded before a person has looked."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> tuple[Status, bool]:
        head = readable_head(transaction, address, pending)
        if head is None:
            return Status(
                conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds, stored=0,
                folded=0, closed=0, refined=0, segments=0, anchors=0, parked=0,
            ), False  # fmt: skip
        work = transaction.progress(head)
        found = Status(
            conversation_id=address.conversation, inbox=pending.held, lag_seconds=pending.lag_seconds,
            stored=head.turn_count, folded=head.fold_seq, closed=head.closed_seq, refined=work.refined_turns(),
            segments=head.node_count, anchors=head.anchor_count, parked=work.parked(),
        )  # fmt: skip
        return found, work.fold_parked()

    return reader.read(look)


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
    return (*stored, *map(short.of, waiting.turns))[-TURNS_A_READ:], waiting.older


def anchors_among(
    found: Iterable[Anchor], types: Iterable[AnchorType | str] | None, states: Iterable[AnchorState | str] | None
) -> list[Anchor]:
    """Those of the given types and states; `None` means all. Raises `InvalidInput` for an unknown one."""
    wanted_types, wanted_states = members("types", AnchorType, types), members("states", AnchorState, states)
    return [anchor for anchor in found if anchor.type in wanted_types and anchor.state in wanted_states]


def _snippet(turn: StoredTurn, terms: Sequence[str]) -> str:
    return snippet(f"{turn.speaker}: {with_gap(turn, ' […] ')}", terms)


def _turn_hits(
    terms: Sequence[str], turns: Sequence[StoredTurn], weights: Mapping[str, float] | None = None
) -> list[Hit]:
    scores = score_turns(terms, turns, weights=weights)
    return [
        Hit(
            kind="turn", score=round(scores[turn.seq], 3), snippet=_snippet(turn, terms),
            first_seq=turn.seq, last_seq=turn.seq, marker=turns_marker(turn.seq, turn.seq),
        )
        for turn in turns
        if turn.seq in scores and turn.state is TurnState.STORED
    ]  # fmt: skip


def _segment_hits(
    transaction: ReadTransaction, head: Head, terms: Sequence[str], ranked: Sequence[tuple[int, float]],
    postings: Sequence[PostingRow],
) -> list[Hit]:  # fmt: skip
    hits: list[Hit] = []
    parts = answering_parts(transaction, head, [idx for idx, _ in ranked], postings)
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
            part, words = parts.get(idx, (None, ""))
            hits.append(
                Hit(
                    kind="segment", score=round(score, 3),
                    snippet=_snippet(best, terms) if part is None else snippet(words, terms),
                    first_seq=node.first_seq, last_seq=node.last_seq, marker=node_marker(node, level=1, short=False),
                    part=part,
                )
            )  # fmt: skip
    return hits
