"""The glossary: every noun of Turnfold as a frozen value. Both distributions speak in these.

turn      one message of a conversation, numbered 1, 2, 3 … (`seq`)
segment   a run of turns about one thing
chapter   eight segments, or eight chapters
node      a segment (height 0) or a chapter (height >= 1); `idx` counts from 0 within a height
level     how much of a node is shown: 0 full, 1 detailed, 2 brief, 3 tags
anchor    a verbatim span of a turn that must not be lost
inbox     turns that are in Redis and not yet in SQL
tail      turns that are in SQL and not yet in a segment
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Final, Literal, NewType

from turnfold.contract.notes import Note, Outline

ConversationId = NewType("ConversationId", int)
"""The surrogate key of a conversation in SQL. Callers never see it."""

JobId = NewType("JobId", int)
"""The surrogate key of a row in `job`."""

FAN_OUT: Final = 8
"""Children of a chapter, at every height."""

MAX_HEIGHT: Final = 7
"""Highest chapter that a read looks for: 8**7 segments are more than any conversation has."""


class Role(StrEnum):
    """Who said a turn."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class AnchorType(StrEnum):
    """Why a span must not be lost."""

    COMMITMENT = "commitment"
    DECISION = "decision"
    UNRESOLVED_QUESTION = "unresolved_question"
    CRITICAL_FACT = "critical_fact"
    CORRECTION = "correction"


class AnchorState(StrEnum):
    """Where an anchor stands. Nothing is ever deleted, it changes state."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    DISMISSED = "dismissed"
    """A person said that it does not matter."""


class Importance(IntEnum):
    """The caller's own mark on a turn."""

    LOW = 0
    NORMAL = 1
    MEDIUM = 2
    HIGH = 3
    PIN = 4


class TurnState(IntEnum):
    """What SQL holds of a turn."""

    STORED = 0
    DELETED = 1
    EXPIRED = 2
    PARKED = 3


class Method(IntEnum):
    """How the rules' words of a node were made."""

    PLAIN = 0
    """The total fallback: head, tail and counts, no rules."""
    RULES = 1


ImportanceName = Literal["low", "medium", "high", "pin"]
Form = Literal["text", "openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as a producer gives it. Dicts in a provider's message form are accepted in its place."""

    role: str
    """system | user | assistant | tool | developer"""
    content: str | Sequence[Mapping[str, Any]] | None = None
    """Text, a provider's list of content parts, or None beside tool calls."""
    turn_id: str | None = None
    """The caller's id; made (sortable) when absent. A repeat of an id is a no-op."""
    name: str | None = None
    created_at: datetime | None = None
    """Aware. Without one the turn has no time: the clock of a worker is never used instead."""
    importance: ImportanceName | None = None
    tool_calls: Sequence[Mapping[str, Any]] | None = None
    tool_call_id: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn after the edge: cleaned, projected to text, numbered."""

    seq: int
    turn_id: str
    role: Role
    content: str
    """The text projection; an anchor's offsets count code points of it."""
    name: str | None = None
    parts: Mapping[str, Any] | None = None
    """What of the provider's message is not plain text: content parts, tool_calls, tool_call_id …"""
    importance: Importance = Importance.NORMAL
    created_at: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    tokens: int = 0
    """Estimated tokens of `content`."""
    state: TurnState = TurnState.STORED
    kept: int | None = None
    """Set when a read left words out: `content` is then the first `kept` code points, followed by the end."""
    without_parts: bool = False
    """True when a read left `parts` out because they are long."""

    @property
    def speaker(self) -> str:
        """The name if there is one, else the role."""
        return self.name or str(self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A segment or chapter as the reader sees it; its words are fetched apart."""

    height: int
    idx: int
    first_seq: int
    last_seq: int
    slug: str
    tokens: tuple[int, int, int, int]
    """Estimated tokens of levels 0 to 3."""
    importance: int = 0
    """0 to 100."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    refined: int = 0
    """Bit `1 << level` is set for each level of which a model's words are shown; `tokens` are of what is shown."""

    @property
    def marker_name(self) -> str:
        """What follows the level in a marker: words for people, then the number that resolves it."""
        number = str(self.idx + 1) if self.height == 0 else f"c{self.height}-{self.idx + 1}"
        return f"{self.slug}-{number}" if self.slug else number

    def shows_model(self, level: int) -> bool:
        """Whether a level's words are a model's."""
        return bool(self.refined >> level & 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A verbatim span: `text == turn.content[start:end]`, in code points."""

    id: int
    type: AnchorType
    text: str
    turn_seq: int
    start: int
    end: int
    state: AnchorState = AnchorState.ACTIVE
    score: int = 0
    """0 to 100."""
    rank: int = 0
    """Static order in which anchors are shown first; no clock in it."""
    node_idx: int = 0
    """The segment that holds it."""
    tokens: int = 0
    related: int | None = None
    """The anchor that superseded, resolved or repeats this one."""
    replaces: int | None = None
    """The anchor that this one superseded, the likest of them."""
    replaced: str | None = None
    """What that one said, where it was looked up: contexts name it."""
    speaker: str | None = None
    """The label of who said it, where it was looked up: a promise is somebody's."""

    @property
    def refined(self) -> bool:
        """Whether a model found it: verbatim all the same."""
        return self.id < 0

    @property
    def position(self) -> tuple[int, int, int]:
        """Orders anchors as they were said."""
        return (self.turn_seq, self.start, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What `append` accepted, in order."""

    turn_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """What `forget` removed. Counts are those of SQL; `inbox_turns` were only in Redis."""

    conversation_id: str
    completed: bool
    """False: Redis is clean and nothing is readable any more; a worker has yet to delete the rows."""
    inbox_turns: int
    turns: int
    segments: int
    anchors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How far the work on a conversation is."""

    conversation_id: str
    inbox: int
    """Turns in Redis only."""
    stored: int
    """Turns in SQL."""
    folded: int
    """Turns that the segmenter has seen; the newest of them wait in the open tail."""
    closed: int
    """Turns inside a segment."""
    refined: int
    """Turns inside a segment of which a model's words are shown."""
    segments: int
    anchors: int
    parked: int
    """Entries and jobs that need a person: see `turnfold jobs`."""
    lag_seconds: float
    """Age of the oldest turn that is not stored yet; 0.0 when the inbox is empty."""

    @property
    def settled(self) -> bool:
        """Everything appended so far is stored, and every closed segment is folded."""
        return self.inbox == 0 and self.folded >= self.stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result of a search."""

    kind: Literal["segment", "turn"]
    score: float
    snippet: str
    first_seq: int
    last_seq: int
    marker: str
    """Give it to `expand`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A node or a range of turns at one level."""

    text: str
    level: int
    first_seq: int
    last_seq: int
    turns: tuple[StoredTurn, ...] = ()
    """The verbatim turns, at level 0; of the first and the last maybe only what `max_tokens` has room for."""
    tokens: int = 0
    truncated: bool = False
    """True when this is not all; `next_marker` then goes on, at level 0 where this ends."""
    next_marker: str | None = None
    reconstructed: bool = False
    """True when a model wrote this in the place of turns that retention removed: not the speakers' words."""
    markers: tuple[str, ...] = ()
    """Markers in `text` that lead to more detail, at levels 1 to 3 of a range."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What a marker stands for, fetched to be shown in a context."""

    marker: str
    expansion: Expansion


@dataclass(frozen=True, slots=True)
class Often:
    """A segment that is looked up often."""

    node: Node
    weight: int
    """Expansions, the older ones counted less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The conversation row, as a read and a fold need it."""

    id: ConversationId
    turn_count: int
    closed_seq: int
    fold_seq: int
    node_count: int
    """Segments: nodes of height 0."""
    anchor_count: int
    """Active anchors."""
    anchor_tokens: int
    """Estimated tokens of the active anchors."""
    revision: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The goal, constraints and settings now in force."""
    often: tuple[Often, ...] = ()
    """Segments that are looked up often, in order."""
    expired_seq: int = 0
    """Last turn of which retention removed the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A turn that answers the query, beside the cut: it may repeat what the cut covers."""

    turn: StoredTurn
    score: float
    node_idx: int
    """The segment that holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that one read fetched, before any text of a level: Redis first, then one transaction."""

    conversation_id: str
    head: Head | None
    """None: nothing is stored; the inbox may still hold turns."""
    nodes: tuple[Node, ...] = ()
    """The frontier: the newest 16 to 23 nodes of each height, ordered by (height, idx)."""
    anchors: Sequence[Anchor] = ()
    """Top active anchors, best first, at most 64."""
    outline: Outline | None = None
    """The best notes of all that is folded, as many as the budget has a use for."""
    hits: tuple[Note, ...] = ()
    """With a query: notes that it is about, best first."""
    turns: Sequence[StoredTurn] = ()
    """The newest turns in order, stored then inbox, at most 200; content may be cut at the read's cap."""
    excerpts: tuple[Excerpt, ...] = ()
    """With a query: turns of the segments that its terms point to, best first."""
    passages: tuple[Passage, ...] = ()
    """What the caller asked to be expanded, in the order in which it was asked for."""
    unread: int = 0
    """About how many turns of the inbox are older than those in `turns`. Above 0 the numbers of turns that are not
    stored only order them: what the others will be is not known."""

    @property
    def last_seq(self) -> int:
        """Number of the newest turn; 0 for an empty conversation."""
        return self.turns[-1].seq if self.turns else 0


LevelKey = tuple[int, int, int]
"""(height, idx, level) of a text."""
