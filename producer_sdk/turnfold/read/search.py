"""Search a conversation for segments and turns that contain a query's terms, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from turnfold.assemble.forms.markers import node_marker, turns_marker
from turnfold.assemble.forms.render_text import with_gap
from turnfold.assemble.scope import EVERYTHING, Scope
from turnfold.contract.keys import Address
from turnfold.contract.origins import OUTSIDE, turn_origin
from turnfold.contract.passages import PLACES, ROLE, ROLE_SHIFT, ROLES, unpack_pointers
from turnfold.contract.periods import as_utc
from turnfold.contract.records import Origin, StoredTurn, TurnState
from turnfold.contract.results import Head, Hit
from turnfold.contract.speakers import speaker_label
from turnfold.contract.text import ends_of
from turnfold.contract.turn_limits import LEAST_CAP, TURNS_A_READ
from turnfold.read.pending_edits import inbox_of, newest_turns
from turnfold.read.relations import with_linked_names
from turnfold.read.snapshot import readable_head, unknown
from turnfold.read.turn_parts import answering_parts
from turnfold.search.query_times import query_times
from turnfold.search.relevance import (
    SEGMENT_HITS,
    query_terms,
    score_segments,
    score_turns,
    spoken_snippet,
    term_weights,
)

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.search.turn_scores import PostingRow

_SCOPED: Final = 4
"""Factor by which more segments are searched when only some speakers or origins may answer."""


def search(
    inbox: PendingSource,
    reader: ReadSource,
    address: Address,
    query: str,
    *,
    limit: int,
    scope: Scope = EVERYTHING,
    now: datetime | None = None,
) -> list[Hit]:
    """Return segments that contain the query's terms, and turns of no closed segment yet, best first.

    The query is expanded by relations ("Ana's sister" also searches her name) and by the times that it mentions.

    Turns whose numbers are unknown, because the inbox is longer than a read looks at, are found once they are stored.
    """
    query = ends_of(query)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[Hit]:
        head = readable_head(transaction, address, pending)
        changes = inbox_of(transaction, head, pending)
        turns, older = newest_turns(transaction, head, changes, cap=LEAST_CAP)
        today = now or next((turn.created_at for turn in reversed(turns) if turn.created_at), None)
        times = query_times(query, today and as_utc(today).date())
        words = query_terms(query, without=times.words)
        closed = 0 if head is None else head.closed_seq
        terms = with_linked_names(words, transaction.top_relations(head)) if head is not None and words else words
        terms = (*terms, *times.terms)
        # A changed turn is a hit of its own: its segment is none until it is folded again.
        open_turns = [] if older else [turn for turn in turns if turn.seq > closed or turn.seq in changes.changed]
        open_turns = [turn for turn in open_turns if scope.allows_turn(turn, (), known_to=closed)]
        if head is not None and head.node_count:
            rows = transaction.postings(head, terms)
            postings = [(term, idx, weight) for term, idx, weight, _ in rows]
            # Score turns by the same term weights as segments, or recent turns would outrank better answers.
            weights = term_weights(terms, postings, segments=head.node_count)
            hits = _turn_hits(terms, open_turns, weights)
            ranked = score_segments(postings, segments=head.node_count)[: limit if scope.is_all else _SCOPED * limit]
            segment_hits = _segment_hits(transaction, head, terms, ranked, rows, scope)
            hits += [hit for hit in segment_hits if not changes.covers(hit.first_seq, hit.last_seq)]
        elif head is None and not turns:
            raise unknown(address)
        else:
            hits = _turn_hits(terms, open_turns)
        return sorted(hits, key=lambda hit: (-hit.score, -hit.last_seq))[:limit]

    return reader.read(look)


def _snippet(turn: StoredTurn, terms: Sequence[str]) -> str:
    words = turn.content if turn.kept is None else with_gap(turn, " […] ")
    return spoken_snippet(speaker_label(turn), words, terms)


def _turn_hits(
    terms: Sequence[str], turns: Sequence[StoredTurn], weights: Mapping[str, float] | None = None
) -> list[Hit]:
    scores = score_turns(terms, turns, weights=weights)
    return [
        Hit(
            kind="turn", score=round(scores[turn.seq], 3), snippet=_snippet(turn, terms),
            first_seq=turn.seq, last_seq=turn.seq, marker=turns_marker(turn.seq, turn.seq),
            speaker=speaker_label(turn), origin=turn_origin(turn),
        )
        for turn in turns
        if turn.seq in scores and turn.state is TurnState.STORED
    ]  # fmt: skip


def _segment_hits(
    transaction: ReadTransaction, head: Head, terms: Sequence[str], ranked: Sequence[tuple[int, float]],
    postings: Sequence[PostingRow], scope: Scope,
) -> list[Hit]:  # fmt: skip
    hits: list[Hit] = []
    outside = _outside(postings)
    parts = answering_parts(transaction, head, [idx for idx, _ in ranked], postings)
    for start in range(0, len(ranked), SEGMENT_HITS):
        block = ranked[start : start + SEGMENT_HITS]
        turns, node_of = transaction.turns_of_segments(head, [idx for idx, _ in block], cap=LEAST_CAP)
        scores = score_turns(terms, turns)
        for idx, score in block:
            node = transaction.node(head, 0, idx)
            inside = [turn for turn in turns if node_of[turn.seq] == idx and scope.allows_turn(turn, outside)]
            if node is None or not inside:
                continue
            best = max(inside, key=lambda turn: (scores.get(turn.seq, 0.0), -turn.seq))
            part, words = parts.get(idx, (None, ("", "")))
            long = None if part is None else next((turn for turn in inside if turn.seq == part.turn_seq), None)
            part, best = (None, best) if long is None else (part, long)
            if best.seq not in scores and not scope.is_all:
                continue
            hits.append(
                Hit(
                    kind="segment", score=round(score, 3),
                    snippet=_snippet(best, terms) if part is None else spoken_snippet(*words, terms),
                    first_seq=node.first_seq, last_seq=node.last_seq, marker=node_marker(node, level=1, short=False),
                    part=part, speaker=speaker_label(best),
                    origin=Origin.OUTSIDE if best.seq in outside else turn_origin(best),
                )
            )  # fmt: skip
    return hits


def _outside(postings: Iterable[PostingRow]) -> frozenset[int]:
    """Return the turns in which a term occurs in outside text, such as a pasted page."""
    pointers = [unpack_pointers(row[3]) for row in postings]
    return frozenset(
        number // PLACES
        for numbers, marks in pointers
        for number, mark in zip(numbers, marks, strict=True)
        if ROLES[mark >> ROLE_SHIFT & ROLE] == OUTSIDE
    )
