"""What a process remembers of the conversations that it read last, each at one revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.context import Context
from turnfold.assemble.memo import Memo
from turnfold.assemble.scope import EVERYTHING, Scope
from turnfold.assemble.turns import Turns
from turnfold.code_blocks.index import FoundBlock
from turnfold.contract.keys import Address
from turnfold.contract.marks import StoredMark
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline, last_part
from turnfold.contract.records import StoredTurn
from turnfold.contract.results import Excerpt, Head
from turnfold.contract.turn_limits import Shortening
from turnfold.contract.vectors import DEFAULT_MODEL, NO_VECTOR, Vector
from turnfold.wire.decode import read_entry
from turnfold.wire.inbox_entry import InboxEntry

MOST_CHARACTERS: Final = 16_000_000
"""Characters of all that is remembered, about; a parsed note takes some four bytes for each of its own."""
MOST_IDS: Final = 1_000
"""Turns of the inbox that are remembered beside a conversation."""
MOST_WAITING: Final = 256_000
"""Bytes of those that are remembered decoded."""
MOST_QUESTIONS: Final = 4
"""Questions for which is remembered what was found."""
MOST_CONTEXTS: Final = 4
"""Finished contexts that are remembered of a conversation: what is read again unchanged costs nothing more."""
LONGEST_CONTEXT: Final = 256_000
"""Code points of one of them."""
_LEAST_CHARACTERS: Final = 20_000
"""What a conversation is counted as at least: its records take memory too."""


NOTHING_TOLD: Final[Mapping[str, float]] = MappingProxyType({})


class Answers(NamedTuple):
    """What a read finds about its question."""

    question: str | None = None
    """The query, or the words of the newest user turn in its place; None where nothing is asked."""
    hits: tuple[Note, ...] = ()
    """The notes that it is about, best first."""
    excerpts: tuple[Excerpt, ...] = ()
    """Where there is room for them: the turns that answer it best, best first."""
    blocks: tuple[FoundBlock, ...] = ()
    """Where it asks for a block: those that it may mean, best first."""
    told_of_blocks: Mapping[str, float] = NOTHING_TOLD
    answerable: float | None = None
    """Of a query, how likely what was found answers it, 0 to 1; None where it asks for no words."""
    has_lost_postings: bool = False
    """Whether only what is beside the rules' postings was looked at: those were dropped, and are to be made again."""


NO_ANSWERS: Final = Answers()


class WaitingTurns:
    """Turns of the inbox by all that they are made from, each decoded once. Safe to share among threads."""

    __slots__ = ("_bytes", "_turns")

    def __init__(self) -> None:
        self._turns: dict[tuple[str, bytes], StoredTurn] = {}
        self._bytes = 0

    def read(self, entry: InboxEntry, seq: int) -> StoredTurn:
        """The turn of an entry, by the number that it will have."""
        key = (entry.entry_id, entry.body)
        turn = self._turns.get(key)
        if turn is None or turn.seq != seq:
            turn = replace(turn, seq=seq) if turn else read_entry(entry.body, seq=seq, turn_id=entry.entry_id)
            if self._bytes > MOST_WAITING or len(self._turns) > MOST_IDS:
                self._turns.clear()
                self._bytes = 0
            self._turns[key] = turn
            self._bytes += len(entry.body)
        return turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A conversation at one revision, parsed as far as reads looked at it."""

    head: Head
    last_part: int
    """Of the outline: the last part that was read."""
    outline: Outline | None
    anchors: TopAnchors
    turns: Turns
    """The newest stored ones."""
    system_turns: tuple[StoredTurn, ...]
    """An operator's, all of them, whole."""
    whole: bool
    """The words of all of them were read."""
    short: Shortening
    """How they were read."""
    longest: int
    """Code points of the longest of them whose words were read."""
    characters: int
    parsed_from: object = None
    """All that outline and anchors were made from: where another revision has the same, they need not be made again."""
    stored: dict[str, bool] = field(default_factory=dict)
    """Whether ids of the inbox are those of stored turns, as far as reads asked."""
    memo: Memo = field(default_factory=Memo)
    """What reads worked out of outline, anchors and single turns."""
    waiting: WaitingTurns = field(default_factory=WaitingTurns)
    answers: dict[Hashable, Answers] = field(default_factory=dict)
    """What was found, by what it depends on: a question is often read for more than once."""
    contexts: dict[Hashable, tuple[Head, Context]] = field(default_factory=dict)
    """Finished contexts by all that they depend on beside the head."""

    def is_of(self, head: Head) -> bool:
        """True when this is the state that a head names."""
        return self.head.id == head.id and self.head.revision == head.revision

    def learn(self, ids: Sequence[str], stored: Collection[str]) -> None:
        """Remember which ids of the inbox are those of stored turns: of one revision it never changes."""
        if len(self.stored) > MOST_IDS:
            self.stored.clear()
        self.stored.update({turn_id: turn_id in stored for turn_id in ids})

    def remember(self, key: Hashable, answers: Answers) -> None:
        """Remember what was found for a question."""
        if len(self.answers) >= MOST_QUESTIONS:
            self.answers.clear()
        self.answers[key] = answers

    @property
    def size(self) -> int:
        """Characters of all that is remembered of it, about."""
        # A finished context has most of its words twice, in a byte each.
        contexts = sum([len(made.text) for _, made in [*self.contexts.values()]])
        return max(_LEAST_CHARACTERS, self.characters) + contexts // 2

    def serves(self, *, last_part: int, short: Shortening, whole: bool) -> bool:
        """True when a read of so many parts, with turns so short, finds all that it needs here."""
        if last_part > self.last_part or (whole and not self.whole):
            return False
        as_long = self.longest <= min(short.cap, self.short.cap)
        return short == self.short or (as_long and not self.turns.has_parts)


class AsOf(NamedTuple):
    """A day of the past that a read tells of."""

    last_seq: int
    """The last stored turn that was said by its end."""
    question: str | None
    """What its newest user turn steers to, where there is no query."""


class ReplicaBehind(Exception):  # noqa: N818 - the primary is asked instead
    """A replica lacks what workers have stored, or nothing says how far they have."""


class Wanted(NamedTuple):
    """What a read needs of a conversation."""

    address: Address
    budget_tokens: int
    inbox_ids: tuple[str, ...] = ()
    """Of the turns that wait: at most 200, none twice."""
    query: str | None = None
    newest: tuple[InboxEntry, ...] | None = None
    """Without a query: the last of the turns that wait. None: the newest user turn steers nothing."""
    task: str | None = None
    """Steers beside the newest user turn."""
    query_vector: Vector = NO_VECTOR
    vector_model: str = DEFAULT_MODEL
    whole: bool = False
    """The words of all the newest turns are needed, not only of those that a context is likely to show."""
    by_age: bool = False
    """Notes are taken by age: also those that tell little."""
    in_order: bool = False
    """What answers is to come from all stretches of the conversation, where it is first mentioned."""
    scope: Scope = EVERYTHING
    now: datetime | None = None
    """When the query is asked; None: at the time of the newest turn."""
    as_of: AsOf | None = None
    at_least: StoredMark | None = None
    """Of a replica: the state that the read must not fall behind."""

    @property
    def last_part(self) -> int:
        """The last part of the outline that is read."""
        return last_part(self.budget_tokens, by_age=self.by_age)

    def answers_key(self, question: str) -> Hashable:
        """What is found for a question depends on this; None where the database tells more than its revision says."""
        if self.query_vector:
            return None
        beside = (bool(self.query), self.now, self.scope, self.in_order, self.as_of)
        return (question, self.budget_tokens, *beside)


class Found(NamedTuple):
    """A conversation at one committed state."""

    known: Known
    head: Head
    """As it is now: what is counted beside the revision may have changed."""
    stored: Collection[str]
    """Those of the inbox's turns that it has."""
    answers: Answers = NO_ANSWERS

    def context(self, key: Hashable) -> Context | None:
        """A finished context of this state."""
        head, made = self.known.contexts.get(key, (None, None))
        return made if head == self.head else None


class KnownConversations:
    """The last ones that were read, up to a number of characters. Safe to share among threads.

    A conversation is found by its address, and holds only for the id and the revision that the database names at the
    read: no entry is ever shown for another tenant's, or after the conversation was forgotten.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._characters = 0
        self._known: OrderedDict[Address, tuple[Known, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, address: Address) -> Known | None:
        """What is remembered of a conversation."""
        with self._lock:
            if address not in self._known:
                return None
            self._known.move_to_end(address)
            return self._known[address][0]

    def put(self, address: Address, known: Known) -> Known | None:
        """Remember a conversation in the place of what is returned, and forget those not read for the longest time."""
        with self._lock:
            replaced = self._known.get(address, (None, 0))[0]
            self._put(address, known)
        return replaced

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None:
        """Remember a finished context of a conversation that is still remembered."""
        known = found.known
        with self._lock:
            if len(made.text) > LONGEST_CONTEXT or self._known.get(address, (None, 0))[0] is not known:
                return
            if key not in known.contexts and len(known.contexts) >= MOST_CONTEXTS:
                del known.contexts[next(iter(known.contexts))]
            known.contexts[key] = (found.head, made)
            self._put(address, known)

    def drop(self, address: Address) -> None:
        """Forget a conversation."""
        with self._lock:
            self._drop(address)

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._known.clear()
            self._characters = 0

    def _put(self, address: Address, known: Known) -> None:
        self._drop(address)
        self._known[address] = (known, known.size)
        self._characters += known.size
        while self._characters > self._most and self._known:
            self._drop(next(iter(self._known)))

    def _drop(self, address: Address) -> None:
        _, size = self._known.pop(address, (None, 0))
        self._characters -= size
