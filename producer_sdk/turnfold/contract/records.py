"""The glossary: every noun of Turnfold as an immutable type, shared by the SDK and the workers.

turn      one message of a conversation, numbered 1, 2, 3 … (`seq`)
segment   a run of turns about one topic
chapter   eight segments, or eight chapters
node      a segment (height 0) or a chapter (height >= 1); `idx` counts from 0 within a height
level     detail at which a node is shown: 0 full, 1 detailed, 2 brief, 3 tags
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

from turnfold.contract.lazy_patterns import lazy_pattern

ConversationId = NewType("ConversationId", int)
"""Surrogate key of a conversation in SQL, never shown to callers."""

JobId = NewType("JobId", int)
"""Surrogate key of a row in `job`."""

FAN_OUT: Final = 8
"""Children per chapter, at every height."""

MAX_HEIGHT: Final = 7
"""Maximum height of a chapter that reads look for: 8**7 segments exceed any conversation."""
PINNED_RANK: Final = 1_000
"""Minimum rank of an anchor of a pinned turn; all other anchors rank lower."""
LASTING_RANK: Final = 140
"""Minimum rank at which contexts show a fact without being asked: it is a lasting one about a person."""
HEALTH_RANK: Final = 215
"""Minimum rank at which a fact binds like a rule, within the same budget: a restriction for somebody's health."""


class Role(StrEnum):
    """The role that authored a turn."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class AnchorType(StrEnum):
    """The reason why a span must be kept verbatim."""

    COMMITMENT = "commitment"
    DECISION = "decision"
    UNRESOLVED_QUESTION = "unresolved_question"
    CRITICAL_FACT = "critical_fact"
    CORRECTION = "correction"
    CONSTRAINT = "constraint"
    """A hard limit: what must always or never be the case."""
    INSTRUCTION = "instruction"
    """A standing order to the assistant."""
    PREFERENCE = "preference"
    """Somebody's preference."""


STANDING_TYPES: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION})
"""Types of anchors that apply to everything that follows."""
DONE_OR_ANSWERED: Final = frozenset({AnchorType.COMMITMENT, AnchorType.UNRESOLVED_QUESTION})
"""Types of anchors that end up resolved; anchors of the other types are superseded by later ones."""


class AnchorState(StrEnum):
    """The state of an anchor. Anchors are never deleted."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    DISMISSED = "dismissed"
    """A person marked it as irrelevant."""


class Origin(StrEnum):
    """Where words come from, most trusted first."""

    USER = "user"
    """Users and operators: also system and developer turns."""
    ASSISTANT = "assistant"
    TOOL = "tool"
    OUTSIDE = "outside"
    """Authors outside the conversation: pages that tools fetch, mails and chats that people paste."""


PASTED: Final = "pasted"
"""Name of the score factor of an anchor whose words its turn only quotes."""


OPERATORS: Final = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Roles whose turns are instructions of an operator, shown in every context."""


class Importance(IntEnum):
    """The caller's own weight of a turn."""

    LOW = 0
    NORMAL = 1
    MEDIUM = 2
    HIGH = 3
    PIN = 4


class TurnState(IntEnum):
    """Whether SQL has the words of a turn."""

    STORED = 0
    DELETED = 1
    EXPIRED = 2
    PARKED = 3


class Method(IntEnum):
    """The way in which the rules' text of a node was made."""

    PLAIN = 0
    """The fallback that never fails: head, tail and counts, without rules."""
    RULES = 1


ImportanceName = Literal["low", "normal", "medium", "high", "pin"]
Form = Literal["text", "openai", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as a producer passes it; a dict in a provider's message format is accepted as well."""

    role: str
    """system | user | assistant | tool | developer"""
    content: str | Sequence[Mapping[str, Any]] | None = None
    """Text, a provider's list of content parts, or None if there are tool calls."""
    turn_id: str | None = None
    """The caller's id; a sortable one is generated if absent. A repeated id is a no-op."""
    name: str | None = None
    created_at: datetime | None = None
    """Must be timezone-aware. A turn without one has no time: a worker's clock is never used instead."""
    importance: ImportanceName | None = None
    tool_calls: Sequence[Mapping[str, Any]] | None = None
    tool_call_id: str | None = None
    metadata: Mapping[str, Any] | None = None


def holds_results(content: object) -> bool:
    """Whether a message's content has tool results among its parts, in Anthropic's form.

    >>> holds_results([{"type": "tool_result", "tool_use_id": "t1"}]), holds_results("tool_result")
    (True, False)
    """
    return isinstance(content, (list, tuple)) and any(
        isinstance(part, Mapping) and part.get("type") == "tool_result" for part in content
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn after validation: cleaned, projected to text, numbered."""

    seq: int
    turn_id: str
    role: Role
    """Whose words these are: `TOOL` also for a result that a provider sends in a user's message, as Anthropic does."""
    content: str
    """The text projection; offsets of anchors are code points of it."""
    name: str | None = None
    parts: Mapping[str, Any] | None = None
    """Parts of the provider's message other than plain text: content parts, tool_calls, tool_call_id …

    Of a result in a user's message also the `role` and the `name` of that message."""
    importance: Importance = Importance.NORMAL
    created_at: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    tokens: int = 0
    """Estimated tokens of `content`."""
    state: TurnState = TurnState.STORED
    kept: int | None = None
    """Set if a read truncated `content`: to the first `kept` code points, followed by the end."""
    without_parts: bool = False
    """Whether a read omitted `parts` because of their length."""

    def __post_init__(self) -> None:
        # The role is in every row and read, the parts are not: a long result is read without its parts.
        if self.role is Role.USER and self.parts and holds_results(self.parts.get("content")):
            message = {"role": str(Role.USER)} if self.name is None else {"role": str(Role.USER), "name": self.name}
            object.__setattr__(self, "parts", {**self.parts, **message})
            object.__setattr__(self, "role", Role.TOOL)
            object.__setattr__(self, "name", None)

    @property
    def speaker(self) -> str:
        """The name if there is one, else the role."""
        return self.name or str(self.role)

    @property
    def sent_as(self) -> tuple[Role, str | None]:
        """Role and name of the provider's message: those of a user for a result that came in a user's message."""
        parts = self.parts or {}
        return (Role.USER, parts.get("name")) if parts.get("role") == Role.USER else (self.role, self.name)


_READS_OTHERWISE: Final = lazy_pattern(r"turns?(?:-[0-9]+)?|(?:.*-)?c[0-9]{1,2}")
"""Slugs of a segment that, followed by its number, would parse as turns or as a chapter."""


def marker_name(height: int, idx: int, slug: str) -> str:
    """Return the part of a node's marker after the level; a slug that would change its meaning is left out."""
    if height:
        number = f"c{height}-{idx + 1}"
    else:
        number, slug = str(idx + 1), "" if _READS_OTHERWISE.fullmatch(slug) else slug
    return f"{slug}-{number}" if slug else number


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A segment or chapter without its text, which is fetched separately."""

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
    """Bit `1 << level` is set for each level shown in a model's words; `tokens` are of the shown words."""

    @property
    def marker_name(self) -> str:
        """Part of a marker after the level: a readable slug, then the number that resolves it."""
        return marker_name(self.height, self.idx, self.slug)

    def shows_model(self, level: int) -> bool:
        """Whether a level is shown in a model's words."""
        return bool(self.refined >> level & 1)


FIRST_TAIL_ANCHOR: Final = 2**31
"""Lowest id of anchors of the open tail; valid only until the next fold, as no row has such an id."""


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
    """Priority in contexts, highest first; static, without a clock."""
    node_idx: int = 0
    """Index of the segment that contains the anchor."""
    tokens: int = 0
    related: int | None = None
    """Id of the anchor that superseded or resolved this one, or that this one repeats."""
    replaces: int | None = None
    """Id of the most similar of the anchors that this one superseded."""
    replaced: str | None = None
    """Text of the replaced anchor, if looked up; contexts quote it."""
    replaced_seq: int | None = None
    """Number of the replaced anchor's turn, if looked up."""
    may_have_changed_seq: int | None = None
    """In a context report: the newest turn that may change this anchor and is not folded yet."""
    speaker: str | None = None
    """Label of the speaker, as a promise belongs to somebody; None if not looked up."""
    role: Role | None = None
    """Role of the speaker, if looked up: an assistant cannot lift a user's prohibition, whatever its name."""
    turn_id: str | None = None
    """The caller's id of the turn, if looked up."""
    day: str = ""
    """Day of the turn, as contexts show it: `8 May 2026`; empty for a turn without a time."""
    said_on: date | None = None
    """Day of the turn in UTC, if looked up; None for a turn without a time."""
    valid_from: date | None = None
    """First day of validity: as stated ('from 1 June on'), else the day of the turn."""
    valid_to: date | None = None
    """Last day of validity: for a closed anchor the day of the turn that closed it, else as stated."""
    factors: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Components of the score by name: `{"decided": 75, "value": 8, "person": 6}`. Doubts are negative."""

    @property
    def origin(self) -> Origin:
        """Origin of the text; derived from the speaker's role if the factors were not looked up."""
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
        """Whether a model found the anchor; its text is verbatim all the same."""
        return self.id < 0

    @property
    def provisional(self) -> bool:
        """Whether the turn is in the open tail: the anchor gets a permanent `id`, maybe another text, on closing."""
        return self.id >= FIRST_TAIL_ANCHOR

    @property
    def position(self) -> tuple[int, int, int]:
        """Sort key for the order of mention."""
        return (self.turn_seq, self.start, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorChange:
    """A change of an earlier anchor's state by later ones."""

    id: int
    state: AnchorState
    related: int | None
    replaces: int | None = None


LevelKey = tuple[int, int, int]
"""Key of a text: (height, idx, level)."""
