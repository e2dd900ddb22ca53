"""Cache of the conversations that a process read last, each at one revision."""

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
from turnfold.assemble.revision_cache import Memo
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
from turnfold.search.query_times import NO_TIMES, QueryTimes
from turnfold.wire.decode import read_entry
from turnfold.wire.inbox_entry import InboxEntry

MOST_CHARACTERS: Final = 16_000_000
"""Approximate size of the cache in characters; a parsed note takes some four bytes per character."""
MOST_IDS: Final = 1_000
"""Maximum inbox turns remembered per conversation."""
MOST_WAITING: Final = 256_000
"""Maximum bytes of decoded inbox turns per conversation."""
MOST_QUESTIONS: Final = 4
"""Maximum questions with cached answers per conversation."""
MOST_CONTEXTS: Final = 4
"""Maximum finished contexts cached per conversation, for repeated unchanged reads."""
LONGEST_CONTEXT: Final = 256_000
"""Maximum code points of a cached context."""
_LEAST_CHARACTERS: Final = 20_000
"""Minimum size that a conversation counts as, for the memory of its records."""


NOTHING_TOLD: Final[Mapping[str, float]] = MappingProxyType({})


class Answers(NamedTuple):
    """The results for a question."""

    question: str | None = None
    """The query, or else the words of the newest user turn; None if there is no question."""
    hits: tuple[Note, ...] = ()
    """Relevant notes, best first."""
    excerpts: tuple[Excerpt, ...] = ()
    """If the budget has room: the turns that answer best, best first."""
    blocks: tuple[FoundBlock, ...] = ()
    """If the question asks for a block: matching blocks, best first."""
    told_of_blocks: Mapping[str, float] = NOTHING_TOLD
    answerable: float | None = None
    """For a query, the probability that the results answer it, 0 to 1; None for a query without search terms."""
    has_lost_postings: bool = False
    """Whether the rules' postings were not searched, as they were dropped and have to be rebuilt."""
    times: QueryTimes = NO_TIMES
    """Times that a query names."""


NO_ANSWERS: Final = Answers()


class WaitingTurns:
    """Decoded inbox turns, cached by entry id and body. Thread-safe."""

    __slots__ = ("_bytes", "_turns")

    def __init__(self) -> None:
        self._turns: dict[tuple[str, bytes], StoredTurn] = {}
        self._bytes = 0

    def read(self, entry: InboxEntry, seq: int) -> StoredTurn:
        """Return the turn of an entry, with the number that it will have."""
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
    """A conversation at one revision, parsed as far as reads needed it."""

    head: Head
    last_part: int
    """Last part of the outline that was read."""
    outline: Outline | None
    anchors: TopAnchors
    turns: Turns
    """The newest stored turns."""
    system_turns: tuple[StoredTurn, ...]
    """All operator turns, untruncated."""
    whole: bool
    """Whether the words of all newest turns were read."""
    short: Shortening
    """The limits by which the turns were read."""
    longest: int
    """Code points of the longest turn whose words were read."""
    characters: int
    parsed_from: object = None
    """The inputs of `outline` and `anchors`: both are reused for another revision with equal inputs."""
    stored: dict[str, bool] = field(default_factory=dict)
    """Inbox entry id -> whether its turn is stored, for the ids that reads asked about."""
    memo: Memo = field(default_factory=Memo)
    """Results derived from outline, anchors and single turns."""
    waiting: WaitingTurns = field(default_factory=WaitingTurns)
    answers: dict[Hashable, Answers] = field(default_factory=dict)
    """Answers by everything that they depend on, as questions tend to be repeated."""
    contexts: dict[Hashable, tuple[Head, Context]] = field(default_factory=dict)
    """Finished contexts by everything that they depend on besides the head."""

    def is_of(self, head: Head) -> bool:
        """Whether this is the state of a head."""
        return self.head.id == head.id and self.head.revision == head.revision

    def learn(self, ids: Sequence[str], stored: Collection[str]) -> None:
        """Remember which inbox ids are stored turns; constant within a revision."""
        if len(self.stored) > MOST_IDS:
            self.stored.clear()
        self.stored.update({turn_id: turn_id in stored for turn_id in ids})

    def remember(self, key: Hashable, answers: Answers) -> None:
        """Cache the answers to a question."""
        if len(self.answers) >= MOST_QUESTIONS:
            self.answers.clear()
        self.answers[key] = answers

    @property
    def size(self) -> int:
        """Approximate characters of all that is cached for the conversation."""
        # A finished context contains most of its words twice, at a byte per character.
        contexts = sum([len(made.text) for _, made in [*self.contexts.values()]])
        return max(_LEAST_CHARACTERS, self.characters) + contexts // 2

    def serves(self, *, last_part: int, short: Shortening, whole: bool) -> bool:
        """Whether this state suffices for a read with these limits."""
        if last_part > self.last_part or (whole and not self.whole):
            return False
        as_long = self.longest <= min(short.cap, self.short.cap)
        return short == self.short or (as_long and not self.turns.has_parts)


class AsOf(NamedTuple):
    """A day in the past that a read is about."""

    last_seq: int
    """The last stored turn of that day or earlier."""
    question: str | None
    """The steering text of that day's newest user turn, if there is no query."""


class ReplicaBehind(Exception):  # noqa: N818 - the primary is asked instead
    """A replica lacks what workers have stored, or no mark tells how much that is; the primary is read instead."""


class Wanted(NamedTuple):
    """The needs of a read."""

    address: Address
    budget_tokens: int
    inbox_ids: tuple[str, ...] = ()
    """Ids of at most 200 inbox turns, without repeats."""
    query: str | None = None
    newest: tuple[InboxEntry, ...] | None = None
    """Without a query: the last inbox entries. None if the newest user turn must not steer the read."""
    task: str | None = None
    """Additional steering text, besides the newest user turn."""
    query_vector: Vector = NO_VECTOR
    vector_model: str = DEFAULT_MODEL
    whole: bool = False
    """Whether the words of all newest turns are needed, not only of those that a context is likely to show."""
    by_age: bool = False
    """Whether notes are selected by age, including those of little value."""
    in_order: bool = False
    """Whether answers should cover all of the conversation, at the first mention of each thing."""
    scope: Scope = EVERYTHING
    now: datetime | None = None
    """Time of the query; None for the time of the newest turn."""
    as_of: AsOf | None = None
    at_least: StoredMark | None = None
    """For a replica: the state that the read must not fall behind."""

    @property
    def last_part(self) -> int:
        """The last part of the outline to read."""
        return last_part(self.budget_tokens, by_age=self.by_age)

    def answers_key(self, question: str) -> Hashable:
        """Return the cache key of the answers to a question; None if embeddings, which have no revision, matter."""
        if self.query_vector:
            return None
        beside = (bool(self.query), self.now, self.scope, self.in_order, self.as_of)
        return (question, self.budget_tokens, *beside)


class Found(NamedTuple):
    """A conversation at one committed state."""

    known: Known
    head: Head
    """The current head: counters that do not change the revision may be newer than in `known`."""
    stored: Collection[str]
    """Ids of the inbox turns that are stored already."""
    answers: Answers = NO_ANSWERS

    def context(self, key: Hashable) -> Context | None:
        """Return a finished context of this state, if cached."""
        head, made = self.known.contexts.get(key, (None, None))
        return made if head == self.head else None


class KnownConversations:
    """A cache of conversations, bounded by characters, least recently used first out. Thread-safe.

    An entry is found by address, but used only if the database confirms its id and revision at the read: no entry is
    ever shown to another tenant, or after the conversation was forgotten.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._characters = 0
        self._known: OrderedDict[Address, tuple[Known, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, address: Address) -> Known | None:
        """Return the cached state of a conversation."""
        with self._lock:
            if address not in self._known:
                return None
            self._known.move_to_end(address)
            return self._known[address][0]

    def put(self, address: Address, known: Known) -> Known | None:
        """Cache a conversation and return the entry that it replaces, evicting the least recently read ones."""
        with self._lock:
            replaced = self._known.get(address, (None, 0))[0]
            self._put(address, known)
        return replaced

    def keep(self, address: Address, found: Found, key: Hashable, made: Context) -> None:
        """Cache a finished context, if its conversation is still cached."""
        known = found.known
        with self._lock:
            if len(made.text) > LONGEST_CONTEXT or self._known.get(address, (None, 0))[0] is not known:
                return
            if key not in known.contexts and len(known.contexts) >= MOST_CONTEXTS:
                del known.contexts[next(iter(known.contexts))]
            known.contexts[key] = (found.head, made)
            self._put(address, known)

    def drop(self, address: Address) -> None:
        """Evict a conversation."""
        with self._lock:
            self._drop(address)

    def clear(self) -> None:
        """Evict all conversations."""
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
