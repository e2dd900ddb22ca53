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
from datetime import date, datetime
from enum import IntEnum, StrEnum
from typing import Any, Final, Literal, NewType

ConversationId = NewType("ConversationId", int)
"""The surrogate key of a conversation in SQL. Callers never see it."""

JobId = NewType("JobId", int)
"""The surrogate key of a row in `job`."""

FAN_OUT: Final = 8
"""Children of a chapter, at every height."""

MAX_HEIGHT: Final = 7
"""Highest chapter that a read looks for: 8**7 segments are more than any conversation has."""
PINNED_RANK: Final = 1_000
"""Rank from which an anchor is of a pinned turn; no other one has as much."""
LASTING_RANK: Final = 140
"""Rank from which a fact stands in contexts by itself: it tells what stays true of a person."""
HEALTH_RANK: Final = 215
"""Rank from which a fact has the room of rules: it tells what somebody's health forbids."""


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
    CONSTRAINT = "constraint"
    """A hard limit: what must always or never be so."""
    INSTRUCTION = "instruction"
    """What an assistant is told once and has to do each time."""
    PREFERENCE = "preference"
    """How somebody likes things to be."""


STANDING_TYPES: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION})
"""Types of anchors that hold for all that follows."""
DONE_OR_ANSWERED: Final = frozenset({AnchorType.COMMITMENT, AnchorType.UNRESOLVED_QUESTION})
"""Types of anchors that are resolved in the end; of the others a later one supersedes an earlier one."""


class AnchorState(StrEnum):
    """Where an anchor stands. Nothing is ever deleted, it changes state."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    DISMISSED = "dismissed"
    """A person said that it does not matter."""


class Origin(StrEnum):
    """Where words come from, the most trusted first."""

    USER = "user"
    """People, and whoever runs the assistant: system and developer turns."""
    ASSISTANT = "assistant"
    TOOL = "tool"
    OUTSIDE = "outside"
    """What nobody who takes part wrote: pages that tools fetch, mails and chats that people paste."""


PASTED: Final = "pasted"
"""Factor of an anchor's score: what somebody else wrote, and its turn only shows."""


OPERATORS: Final = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Roles whose turns are an operator's word, in every context."""


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


ImportanceName = Literal["low", "normal", "medium", "high", "pin"]
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


FIRST_TAIL_ANCHOR: Final = 2**31
"""Ids from here on are of anchors of the open tail, and only until the next fold: no row has one."""


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
    replaced_seq: int | None = None
    """Of the turn in which it was said, where it was looked up."""
    may_have_changed_seq: int | None = None
    """In a context's account: the newest turn that may have changed it and that no fold has seen yet."""
    speaker: str | None = None
    """The label of who said it: a promise is somebody's. None where it was not looked up: in a context's account."""
    role: Role | None = None
    """Theirs, where it was looked up: an assistant lifts nothing that its user forbade, whatever its name."""
    turn_id: str | None = None
    """The caller's id of the turn, where it was looked up."""
    day: str = ""
    """On which it was said, as contexts show it: `8 May 2026`; empty for a turn without a time."""
    said_on: date | None = None
    """The day in UTC on which it was said, where it was looked up; None of a turn without a time."""
    valid_from: date | None = None
    """First day on which it holds: the one that it names ('from 1 June on'), else the one on which it was said."""
    valid_to: date | None = None
    """Where it is over, the day on which what closed it was said; else the last one that it names itself."""
    factors: Mapping[str, int] = field(default_factory=dict, hash=False)
    """What the score is made of, by name: `{"decided": 75, "value": 8, "person": 6}`. Doubts are below 0."""

    @property
    def origin(self) -> Origin:
        """Where its words come from; of its speaker's role where the factors were not looked up."""
        if PASTED in self.factors:
            return Origin.OUTSIDE
        match self.role:
            case Role.ASSISTANT:
                return Origin.ASSISTANT
            case Role.TOOL:
                return Origin.TOOL
            case _:
                return Origin.USER

    @property
    def refined(self) -> bool:
        """Whether a model found it: verbatim all the same."""
        return self.id < 0

    @property
    def provisional(self) -> bool:
        """Whether its turn is in the open tail: it gets an `id` to keep, maybe other words, when its segment closes."""
        return self.id >= FIRST_TAIL_ANCHOR

    @property
    def position(self) -> tuple[int, int, int]:
        """Orders anchors as they were said."""
        return (self.turn_seq, self.start, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorChange:
    """What later anchors change in an earlier one."""

    id: int
    state: AnchorState
    related: int | None
    replaces: int | None = None


LevelKey = tuple[int, int, int]
"""(height, idx, level) of a text."""
