"""The read of a context from SQL, or from memory if the revision is unchanged.

A cached conversation costs one statement, which returns its revision; any other, one transaction of at most five; a
query adds the statements of `query_read`. Either way, everything returned is of one committed state.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Engine

from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.material import overtaken_of
from turnfold.assemble.revision_cache import Memo
from turnfold.contract.keys import Address
from turnfold.contract.marks import StoredMark, mark_of
from turnfold.contract.outlines import Outline, tail_anchors_of, unpack_outline
from turnfold.contract.results import Head
from turnfold.contract.turn_limits import TURNS_A_READ, Shortening, cap_for
from turnfold.database import query_statements, statements
from turnfold.database.change_events import ChangeLog
from turnfold.database.conversation_cache import (
    NO_ANSWERS,
    Found,
    Known,
    KnownConversations,
    ReplicaBehind,
    WaitingTurns,
    Wanted,
)
from turnfold.database.driver import Call, Driver, DriverConnection, Row
from turnfold.database.query_read import answers
from turnfold.database.rows import (
    NO_SHAPES,
    content_size,
    head_record,
    lazy_anchors,
    lazy_turns,
    longest_content,
    shapes_of,
    turn_record,
)
from turnfold.database.steering import steering_text

_STATEMENTS: Final = (
    statements.HEAD, statements.HEAD_AND_STORED, statements.OUTLINE, statements.TOP_ANCHOR_ROWS,
    statements.NEWEST_TURNS, statements.OLDER_SHAPES, statements.SYSTEM_TURNS, query_statements.ALL_POSTINGS,
    query_statements.HIT_PASSAGES, query_statements.NEWEST_SIGNS, query_statements.ANSWERING_TURNS,
    statements.TURN_PART,
)  # fmt: skip
_ALL_A_TURN: Final = 8
"""Budget tokens per turn from which notes alone may not fill the budget, so that all turns may be shown verbatim."""
_FEW_TURNS: Final = 8
_TOKENS_A_TURN: Final = 250
"""Budget tokens per turn expected to be shown verbatim, or the mean length of a turn if that is more."""
_LONG_TURN: Final = 1_000
"""Mean tokens of a turn above which few turns are read: SQLite scans a whole turn even for a part of it."""


class ValueReader:
    """Reads conversations for contexts. Thread-safe. Raises SQLAlchemy's errors."""

    def __init__(self, engine: Engine, changes: ChangeLog | None = None, *, beside: ValueReader | None = None) -> None:
        """`changes` is notified if a read finds a newer state than the cached one.

        `beside` is a reader of another server with which the cache is shared.
        """
        self._changes = changes
        self._driver = Driver(engine)
        self.known: KnownConversations = KnownConversations() if beside is None else beside.known

    def read(self, wanted: Wanted) -> Found | None:
        """Return the conversation; None if not stored. Raises `ReplicaBehind` if older than `wanted.at_least`."""
        known = self.known.get(wanted.address)
        if wanted.at_least is not None and known is not None:
            wanted = wanted._replace(at_least=max(wanted.at_least, mark_of(known.head)))
        with self._driver.connection() as connection:
            if known is not None and _may_hold(known, wanted):
                unchanged = self._unchanged(connection, wanted, known)
                if unchanged is not None:
                    return unchanged
            with connection.snapshot():
                head, stored = self._head(connection, wanted.address, wanted.inbox_ids)
                if wanted.at_least is None or wanted.at_least.is_reached_by(head):
                    return self._one_state(connection, wanted, known, head, stored)
        # Raised outside the block, as a connection is closed when a read in it fails.
        raise ReplicaBehind

    def read_within(self, driver: Any, wanted: Wanted) -> Found | None:
        """Like `read`, on a driver connection with an open transaction."""
        connection, known = DriverConnection(self._driver, driver, None), self.known.get(wanted.address)
        return self._one_state(connection, wanted, known, *self._head(connection, wanted.address, wanted.inbox_ids))

    def newest(self, address: Address) -> StoredMark | None:
        """Return the mark of the cached state of a conversation; None if it is not cached."""
        known = self.known.get(address)
        return None if known is None else mark_of(known.head)

    def prepare(self) -> None:
        """Compile the statements of a read, which otherwise the first read that needs one would do."""
        for statement in _STATEMENTS:
            self._driver.naming(statement)

    def close(self) -> None:
        """Close all connections, and clear the cache."""
        self._driver.close()
        self.known.clear()

    def _unchanged(self, connection: DriverConnection, wanted: Wanted, known: Known) -> Found | None:
        """Return the cached state if one statement confirms it; None if it changed, or if the read needs more."""
        learned = {inbox_id: known.stored.get(inbox_id) for inbox_id in wanted.inbox_ids}
        new = [inbox_id for inbox_id, is_stored in learned.items() if is_stored is None]
        head, stored = self._head(connection, wanted.address, new)
        if head is None or not known.is_of(head):
            return None
        known.learn(new, stored)
        stored.update(inbox_id for inbox_id, is_stored in learned.items() if is_stored)
        if not _serves(known, wanted, stored):
            return None
        question = _question(wanted, known, stored)
        if question is None:
            return Found(known, head, stored)
        answers = known.answers.get(wanted.answers_key(question))
        return None if answers is None else Found(known, head, stored, answers)

    def _one_state(
        self, connection: DriverConnection, wanted: Wanted, known: Known | None, head: Head | None, stored: set[str]
    ) -> Found | None:
        """Return everything that the read needs, within the open snapshot in which its head was read."""
        if head is None:
            self.known.drop(wanted.address)
            return None
        if known is None or not known.is_of(head) or not _serves(known, wanted, stored):
            known = self._read_all(connection, wanted, head, stored, known)
            # Another thread may have cached the same state meanwhile, and reports the change.
            replaced = self.known.put(wanted.address, known)
            if self._changes is not None and replaced is not None and not replaced.is_of(head):
                self._changes.add(wanted.address, replaced, known)
        known.learn(wanted.inbox_ids, stored)
        question = _question(wanted, known, stored)
        answered = answers(self._driver, connection, wanted, known, question) if question else NO_ANSWERS
        # Rebuilding dropped postings does not change the revision, so answers without them must not be cached.
        if question and not answered.has_lost_postings and (key := wanted.answers_key(question)) is not None:
            known.remember(key, answered)
        return Found(known, head, stored, answered)

    def _head(self, connection: DriverConnection, address: Address, ids: Sequence[str]) -> tuple[Head | None, set[str]]:
        """Return the head, and which of the given turns are stored."""
        parameters: dict[str, Any] = {"tenant": address.tenant, "external_id": address.conversation}
        statement = statements.HEAD
        if ids:
            statement = statements.HEAD_AND_STORED
            parameters["ids"] = json.dumps(ids)
        rows = connection.rows(statement, parameters)
        if not rows:
            return None, set()
        head = head_record(self._driver.naming(statement)(rows[0]))
        return head, {row[-1] for row in rows if row[-1] is not None} if ids else set()

    def _read_all(
        self, connection: DriverConnection, wanted: Wanted, head: Head, stored: set[str], known_before: Known | None
    ) -> Known:
        short = _short(head, wanted, stored)
        part = wanted.last_part
        of_conversation = {"conversation": head.id}
        after_seq = max(0, head.turn_count - TURNS_A_READ)
        words_after = (
            after_seq if _wants_all_words(head, wanted, known_before) else max(after_seq, _likely_after(head, wanted))
        )
        calls: list[Call] = [
            (statements.OUTLINE, {**of_conversation, "last_part": part}),
            (statements.TOP_ANCHOR_ROWS, of_conversation),
            (statements.NEWEST_TURNS, {**of_conversation, "after_seq": words_after, **short.numbers}),
        ]
        if words_after > after_seq:
            edges = {"after_seq": after_seq, "before_words": words_after, "parts": short.parts}
            calls.append((statements.OLDER_SHAPES, {**of_conversation, **edges}))
        if head.system_turns:
            calls.append((statements.SYSTEM_TURNS, of_conversation))
        asks = wanted.query or wanted.newest is not None
        parts, anchors, words, *results = connection.batch(*calls, last=not asks)
        operators = results.pop() if head.system_turns else []
        named = self._driver.naming(statements.NEWEST_TURNS)
        older = shapes_of(results[0][0]) if results else NO_SHAPES
        parsed_from = (_of_folds(head), parts, anchors)
        if known_before is not None and known_before.parsed_from == parsed_from:
            # Only turns were added since: outline, anchors and their derived results are unchanged.
            outline, top_anchors, memo = known_before.outline, known_before.anchors, known_before.memo
        else:
            outline, top_anchors, memo = self._parsed(head, parts, anchors)
        return Known(
            head=head, last_part=part, outline=outline, anchors=top_anchors, memo=memo, parsed_from=parsed_from,
            turns=lazy_turns(older, words, named, short), short=short, whole=words_after == after_seq,
            system_turns=tuple(map(turn_record, map(self._driver.naming(statements.SYSTEM_TURNS), operators))),
            longest=longest_content(words),
            characters=content_size(words) + 5 * sum([len(row[1]) for row in parts]),
            waiting=known_before.waiting if known_before is not None else WaitingTurns(),
        )  # fmt: skip

    def _parsed(
        self, head: Head, parts: Sequence[Row], anchors: Sequence[Row]
    ) -> tuple[Outline | None, TopAnchors, Memo]:
        """Parse the rows of outline and anchors, with a new memo for derived results."""
        memo, outline = Memo(), unpack_outline((row[0], row[1]) for row in parts)
        tail, named = tail_anchors_of(outline, head.closed_seq), self._driver.naming(statements.TOP_ANCHOR_ROWS)
        return outline, lazy_anchors(anchors, named, overtaken_of(outline, memo), tail), memo


def _of_folds(head: Head) -> Head:
    """Return a head without the fields that appends and expansions alone change."""
    return replace(head, turn_count=0, revision=0, system_turns=0, often=())


def _short(head: Head, wanted: Wanted, stored: Collection[str]) -> Shortening:
    waiting = sum(inbox_id not in stored for inbox_id in wanted.inbox_ids)
    return Shortening.to(cap_for(wanted.budget_tokens), last_seq=head.turn_count + waiting)


def _question(wanted: Wanted, known: Known, stored: Collection[str]) -> str | None:
    """Return the query, or the steering text if there is none."""
    if wanted.query or wanted.newest is None:
        return wanted.query
    if wanted.as_of is not None:
        return wanted.as_of.question
    fresh = sum([inbox_id not in stored for inbox_id in wanted.inbox_ids])
    entries = [entry for entry in wanted.newest if entry.entry_id not in stored]
    first_seq = known.head.turn_count + fresh - len(entries) + 1
    waiting = [known.waiting.read(entry, seq) for seq, entry in enumerate(entries, first_seq)]
    return steering_text(known.turns, waiting, task=wanted.task)


def _may_hold(known: Known, wanted: Wanted) -> bool:
    """Whether the cached state may suffice: a new question needs the database anyway."""
    if wanted.at_least is not None and not wanted.at_least.is_reached_by(known.head):
        return False
    question = _question(wanted, known, {inbox_id for inbox_id in wanted.inbox_ids if known.stored.get(inbox_id)})
    return question is None or wanted.answers_key(question) in known.answers


def _serves(known: Known, wanted: Wanted, stored: Collection[str]) -> bool:
    short = _short(known.head, wanted, stored)
    return known.serves(last_part=wanted.last_part, short=short, whole=wanted.whole)


def _wants_all_words(head: Head, wanted: Wanted, known_before: Known | None) -> bool:
    """Whether a context may show all the newest turns verbatim, as the previous one did."""
    return (
        wanted.whole
        or (
            _tokens_a_turn(head) <= _LONG_TURN
            and (head.turn_count <= TURNS_A_READ or wanted.budget_tokens >= _ALL_A_TURN * head.turn_count)
        )
        or (known_before is not None and known_before.whole)
    )


def _likely_after(head: Head, wanted: Wanted) -> int:
    """Estimate the turn after which a context shows turns verbatim: the open tail, and a few turns before it."""
    tokens_a_turn = max(_TOKENS_A_TURN, _tokens_a_turn(head))
    return min(head.closed_seq, head.turn_count) - _FEW_TURNS - wanted.budget_tokens // tokens_a_turn


def _tokens_a_turn(head: Head) -> int:
    return head.closed_tokens // max(1, head.closed_seq)
