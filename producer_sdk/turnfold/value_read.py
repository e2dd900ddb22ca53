"""The read of the default policy: what a context needs of SQL, from memory where the revision is still the same.

A conversation that this process has read before costs one statement, which names its revision; another one a
transaction of five at most, seven with a query, and one more each for its vector and for the words of what answers
it. Either way all that is returned is of one committed state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Engine

from turnfold import query_statements, statements
from turnfold.assemble.answers import TIGHT
from turnfold.contract.keys import Address
from turnfold.contract.notes import Note
from turnfold.contract.outlines import last_part, unpack_outline
from turnfold.contract.passages import STANDING, Passage, unpack_passages
from turnfold.contract.records import TurnState
from turnfold.contract.results import Excerpt, Head
from turnfold.driver import Call, Driver, DriverConnection
from turnfold.hits import (
    Field,
    best_turns,
    candidates,
    hits,
    near_passages,
    passages_for,
    said_by,
)
from turnfold.known import Found, Known, KnownConversations, Wanted
from turnfold.relevance import QUERY_TERMS, query_terms
from turnfold.rows import (
    NO_SHAPES,
    content_size,
    head_record,
    lazy_anchors,
    lazy_turns,
    longest_content,
    shapes_of,
    shortened_record,
)
from turnfold.shortening import LEAST_CAP, Shortening, cap_for

_ALL_A_TURN: Final = 8
"""Tokens of a budget for each turn with which notes may run out: then more turns are shown raw."""
_FEW_TURNS: Final = 8
_TOKENS_A_TURN: Final = 250
"""Tokens of a budget of which one more turn has its share."""
_ANSWER: Final = Shortening.to(2 * LEAST_CAP, last_seq=0)
"""How much is read of a turn that answers a query."""


class ValueReader:
    """Reads conversations for the selection by value. Safe to share among threads. Raises SQLAlchemy's errors."""

    def __init__(self, engine: Engine) -> None:
        self._driver = Driver(engine)
        self._known = KnownConversations()

    def read(self, wanted: Wanted) -> Found | None:
        """The conversation; None when nothing of it is stored."""
        known = self._known.get(wanted.address)
        with self._driver.connection() as connection:
            if known is not None and not wanted.query:
                found = self._unchanged(connection, wanted, known)
                if found is not None:
                    return found
            with connection.snapshot():
                return self._one_state(connection, wanted, known)

    def read_within(self, driver: Any, wanted: Wanted) -> Found | None:
        """As `read`, on a connection of the driver whose transaction is open."""
        return self._one_state(DriverConnection(self._driver, driver, None), wanted, self._known.get(wanted.address))

    def drop(self, address: Address) -> None:
        """Forget what is remembered of a conversation."""
        self._known.drop(address)

    def clear(self) -> None:
        """Forget what is remembered."""
        self._known.clear()

    def close(self) -> None:
        """Close the held connections."""
        self._driver.close()
        self._known.clear()

    def _unchanged(self, connection: DriverConnection, wanted: Wanted, known: Known) -> Found | None:
        """What is remembered, if one statement says that it still holds; None also when the read needs more."""
        learned = {one: known.stored.get(one) for one in wanted.inbox_ids}
        new = [one for one, is_stored in learned.items() if is_stored is None]
        if len(new) > statements.FEW_INBOX_IDS:
            return None
        head, stored = self._head(connection, wanted.address, new)
        if head is None or not known.is_of(head):
            return None
        known.learn(new, stored)
        stored.update(one for one, is_stored in learned.items() if is_stored)
        return Found(known, head, stored) if _serves(known, wanted, stored) else None

    def _one_state(self, connection: DriverConnection, wanted: Wanted, known: Known | None) -> Found | None:
        """All that the read needs, within an open snapshot."""
        ids = wanted.inbox_ids
        few = ids if len(ids) <= statements.FEW_INBOX_IDS else ()
        head, stored = self._head(connection, wanted.address, few)
        if head is None:
            self._known.drop(wanted.address)
            return None
        if len(few) < len(ids):
            stored = self._stored(connection, head, ids)
        if known is None or not known.is_of(head) or not _serves(known, wanted, stored):
            known = self._read_all(connection, wanted, head, stored, known)
            self._known.put(wanted.address, known)
        known.learn(ids, stored)
        return Found(known, head, stored, *self._hits(connection, wanted, known))

    def _head(self, connection: DriverConnection, address: Address, ids: Sequence[str]) -> tuple[Head | None, set[str]]:
        """The head, and which of at most eight turns are stored."""
        parameters: dict[str, Any] = {"tenant": address.tenant, "external_id": address.conversation}
        statement = statements.HEAD
        if ids:
            statement = statements.HEAD_AND_STORED
            padded = [*ids, *([ids[0]] * (statements.FEW_INBOX_IDS - len(ids)))]
            parameters |= {f"id{i}": value for i, value in enumerate(padded)}
        rows = connection.rows(statement, parameters)
        if not rows:
            return None, set()
        head = head_record(self._driver.naming(statement)(rows[0]))
        return head, {row[-1] for row in rows if row[-1] is not None} if ids else set()

    def _stored(self, connection: DriverConnection, head: Head, ids: Sequence[str]) -> set[str]:
        padded = [*ids, *([ids[0]] * (statements.INBOX_IDS - len(ids)))]
        parameters: dict[str, Any] = {f"id{i}": value for i, value in enumerate(padded)}
        return {row[0] for row in connection.rows(statements.STORED_SEQS, {"conversation": head.id, **parameters})}

    def _read_all(
        self, connection: DriverConnection, wanted: Wanted, head: Head, stored: set[str], before: Known | None
    ) -> Known:
        short = _short(head, wanted, stored)
        part = last_part(wanted.budget_tokens)
        of_conversation = {"conversation": head.id}
        after_seq = max(0, head.turn_count - statements.TAIL_TURNS)
        words_after = (
            after_seq if _wants_all_words(head, wanted, before) else max(after_seq, _likely_after(head, wanted))
        )
        calls: list[Call] = [
            (statements.OUTLINE, {**of_conversation, "last_part": part}),
            (statements.TOP_ANCHOR_ROWS, of_conversation),
            (statements.NEWEST_TURNS, {**of_conversation, "after_seq": words_after, **short.numbers}),
        ]
        if words_after > after_seq:
            edges = {"after_seq": after_seq, "before_words": words_after, "parts": short.parts}
            calls.append((statements.OLDER_SHAPES, {**of_conversation, **edges}))
        parts, anchors, words, *shapes = connection.batch(*calls, last=not wanted.query)
        named = self._driver.naming(statements.NEWEST_TURNS)
        older = shapes_of(shapes[0][0]) if shapes else NO_SHAPES
        return Known(
            head=head, last_part=part, outline=unpack_outline((row[0], row[1]) for row in parts),
            anchors=lazy_anchors(anchors), turns=lazy_turns(older, words, named, short), short=short,
            whole=words_after == after_seq, longest=longest_content(words),
            characters=content_size(words) + 4 * sum([len(row[1]) for row in parts]),
        )  # fmt: skip

    def _hits(
        self, connection: DriverConnection, wanted: Wanted, known: Known
    ) -> tuple[tuple[Note, ...], tuple[Excerpt, ...]]:
        """The notes that a query is about, and the turns that answer it where there is room for them, best first."""
        asked = query_terms(wanted.query) if wanted.query else ()
        if not asked or known.outline is None:
            return (), ()
        looked_up = [*asked[: QUERY_TERMS - 1], STANDING]
        terms = {f"t{i}": term for i, term in enumerate([*looked_up, *([""] * (QUERY_TERMS - len(looked_up)))])}
        calls: list[Call] = [(query_statements.POSTINGS, {"conversation": known.head.id, **terms})]
        if wanted.query_vector:
            calls.append((query_statements.NEWEST_SIGNS, {"conversation": known.head.id, "model": wanted.vector_model}))
        postings, *signs = connection.batch(*calls)
        near = near_passages(wanted.query_vector, (bytes(row[0]) for rows in signs for row in rows))
        field = Field(said=known.outline.said, segments=known.head.node_count)
        found_by_words: list[Any] = postings
        scores = candidates(asked, found_by_words, field, near=near, most=passages_for(wanted.budget_tokens))
        best = best_turns(scores, query_statements.ANSWERING) if wanted.budget_tokens > TIGHT else {}
        passages, excerpts = self._passages(connection, known.head, list(scores), best)
        found = hits(asked, scores, passages, field, most_tokens=wanted.budget_tokens)
        room = wanted.budget_tokens - sum([note.tokens for note in found])
        if room >= wanted.budget_tokens // 2:
            found = (*found, *said_by(asked, known.outline.notes, found, most_tokens=room))
        return found, excerpts

    def _passages(
        self, connection: DriverConnection, head: Head, numbers: Sequence[int], best: Mapping[int, float]
    ) -> tuple[list[Passage], tuple[Excerpt, ...]]:
        """The passages of numbers that are some passage's, and the words of the best turns; ends the snapshot."""
        listed = ",".join(map(str, numbers))
        calls: list[Call] = [(query_statements.HIT_PASSAGES, {"conversation": head.id, "numbers": listed})]
        if best:
            seqs = [*best, *([-1] * (query_statements.ANSWERING - len(best)))]
            wanted = {f"s{i}": seq for i, seq in enumerate(seqs)}
            short = {"head": _ANSWER.head, "tail": _ANSWER.tail}
            calls.append((query_statements.ANSWERING_TURNS, {"conversation": head.id, **wanted, **short}))
        rows, *turns = connection.batch(*calls, last=True)
        named = self._driver.naming(query_statements.ANSWERING_TURNS)
        excerpts = [
            Excerpt(turn=shortened_record(row, _ANSWER), score=best[row.seq], node_idx=row.node_idx)
            for found in turns for row in map(named, found)
            if row.seq <= head.closed_seq and row.state == TurnState.STORED
        ]  # fmt: skip
        excerpts.sort(key=lambda one: (-one.score, one.turn.seq))
        return unpack_passages([(number, body) for number, body in rows]), tuple(excerpts)


def _short(head: Head, wanted: Wanted, stored: Collection[str]) -> Shortening:
    waiting = sum(one not in stored for one in wanted.inbox_ids)
    return Shortening.to(cap_for(wanted.budget_tokens), last_seq=head.turn_count + waiting)


def _serves(known: Known, wanted: Wanted, stored: Collection[str]) -> bool:
    short = _short(known.head, wanted, stored)
    return known.serves(last_part=last_part(wanted.budget_tokens), short=short, whole=wanted.whole)


def _wants_all_words(head: Head, wanted: Wanted, before: Known | None) -> bool:
    """Where a context may show all the newest turns, as the one before did."""
    return (
        wanted.whole
        or head.turn_count <= statements.TAIL_TURNS
        or wanted.budget_tokens >= _ALL_A_TURN * head.turn_count
        or (before is not None and before.whole)
    )


def _likely_after(head: Head, wanted: Wanted) -> int:
    """The turn after which a context is likely to show them raw: the open tail, and a few before it."""
    return min(head.closed_seq, head.turn_count) - _FEW_TURNS - wanted.budget_tokens // _TOKENS_A_TURN
