"""What a call of the client returns, and what one read has fetched for a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Literal

from turnfold.code_blocks.index import FoundBlock
from turnfold.contract.notes import Note as ShownNote
from turnfold.contract.outlines import Outline
from turnfold.contract.records import Anchor, AnchorState, ConversationId, Node, Origin, Role, StoredTurn
from turnfold.contract.seals import Seals
from turnfold.contract.segments import OfNode

MOST_SYSTEM_TEXTS: Final = 1_000
"""Different texts of operators that a conversation may have."""


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
    remains: tuple[str, ...] = ()
    """What may hold the words for a while yet, and until when: logs of the databases. Nobody reads them there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReceipt:
    """What `forget(subject=…)` removed of an end user."""

    subject: str
    completed: bool
    """False: nothing of it is readable any more; a worker has yet to delete the rows."""
    conversations: tuple[ErasureReceipt, ...]
    """Conversations in which no other subject has a turn: erased whole."""
    shared: Mapping[str, int]
    """Conversations with other subjects, and how many turns of this one were deleted in each."""
    still_quoted: tuple[str, ...] = ()
    """Shared conversations whose notes may quote the subject, because retention had removed its turns: forget these."""
    remains: tuple[str, ...] = ()
    """As of `ErasureReceipt`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConversation:
    """A conversation as SQL has it."""

    conversation_id: str
    turns: int
    """Stored turns; those that wait in the inbox are not counted."""
    folded: int
    """The last turn that a fold has looked at; the newest of them wait in the open tail."""
    closed: int
    """Turns inside a segment."""
    anchors: int
    """Active ones of the rules."""
    changed_at: datetime
    """When a worker wrote to it last."""
    title: str | None = None
    """What `configure` or an import called it."""


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
    """Active ones of closed segments."""
    parked: int
    """Entries and jobs that need a person, at most 1,000 of each: see `turnfold jobs`."""
    lag_seconds: float
    """Age of the oldest turn that is not stored yet; 0.0 when the inbox is empty."""

    @property
    def settled(self) -> bool:
        """Everything appended so far is stored, and every closed segment is folded."""
        return self.inbox == 0 and self.folded >= self.stored


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPart:
    """A part of a long turn that is about one thing."""

    title: str
    """Its heading, or the words that tell it from the other parts; one line."""
    number: int
    """From 1."""
    count: int
    """Parts of its turn."""
    turn_seq: int
    start: int
    end: int
    """Code points of the turn."""
    marker: str
    """Give it to `expand`: the part, verbatim."""


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
    speaker: str
    """Of the turn that the snippet is from."""
    origin: Origin
    """Of that turn."""
    part: TurnPart | None = None
    """Of a segment: the part of a long turn that answers, where that is known; `snippet` is from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A statement of the conversation: what contexts are made of."""

    text: str
    """One line: a clause as it was said, a short reply behind its question in brackets; or a model's words."""
    turn_ids: tuple[str, ...]
    """The caller's ids of the turns that it rests on, in order."""
    turn_seq: int
    """Number of the turn that it stands under: of a model's note the first one."""
    speaker: str
    role: Role
    day: str
    """On which it was said, as contexts show it: `8 May 2026`; empty for a turn without a time."""
    day_meant: str | None
    """When it was or will be, in words, where it names one time: `7 May 2026` of `yesterday`, `every Tuesday`."""
    meant_from: date | None
    """First day of that time; None: not known, open, or it comes back."""
    meant_to: date | None
    """Last day of it."""
    precision: str | None
    """How finely it was told: `day`, `week`, `month`, `year`, `open` where it has no beginning or end, `recurring`."""
    is_plan: bool
    """Whether it was still to come when it was said, and nothing said since then that it was done."""
    valid_from: date | None
    """First day on which it holds; None: not known."""
    valid_to: date | None
    """Last day on which it holds, or on which what closed it was said; None: not known."""
    written_by: Literal["rules", "model"]
    origin: Origin
    """The least trusted class among its turns."""
    importance: int
    """0 to 100; 0 for what says nothing by itself."""
    factors: Mapping[str, int] = field(default_factory=dict, hash=False)
    """What the importance is made of, by name; doubts are below 0."""
    state: AnchorState
    """Where it stands: that of the anchor over the same words; `superseded` where another value took its place."""
    marker: str
    """Give it to `expand`: its turns, verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """Something that came up, where it was first mentioned."""

    day: str
    """On which it was said: `8 May 2026`; empty for a turn without a time."""
    day_meant: str | None
    """When it was or will be, in words, where the text names one time: `7 May 2026`, `every tuesday`."""
    meant_from: date | None
    """First day of that time; None: not known, open, or it comes back."""
    meant_to: date | None
    """Last day of it."""
    is_plan: bool
    """Whether it was still to come when it was said, and nobody has reported it as done since."""
    text: str
    speaker: str
    origin: Origin
    turn_seq: int
    turn_id: str
    """The caller's id of the turn, or the one that was made for it."""
    marker: str
    """Give it to `expand`: the turn, verbatim."""
    state: AnchorState = AnchorState.ACTIVE
    """`superseded` where what was said later took its place, `resolved` of a plan that was reported as done, else
    `active`."""


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
    parts: tuple[TurnPart, ...] = ()
    """The parts of the long turns that this shows or tells of, once they are folded."""
    markers: tuple[str, ...] = ()
    """Markers in `text` that lead to more detail, at levels 1 to 3 of a range."""
    verbatim_marker: str | None = None
    """Leads to the words of these turns, where `text` tells of them in notes; None at level 0."""


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
class SegmentSigns:
    """What the importance of a segment is made of, as SQL holds it."""

    node: Node
    facts: Mapping[str, Sequence[str]]
    """By kind, what it names and states."""
    weight: int = 0
    """Expansions, the older ones counted less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A structured fact that a segment states by the rules."""

    text: str
    """`subject verb object`, `somebody's sister is name` or `key: value`; who has no name is `user`."""
    first_seq: int
    last_seq: int
    marker: str
    """Give it to `expand`: the segment in detail."""


Tier = Literal["hot", "warm", "cold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TieredSegment(OfNode):
    """A segment with its importance, and the tier that follows from it."""

    tier: Tier
    importance: int
    """0 to 100."""
    factors: Mapping[str, int] = field(hash=False)
    """What it is made of, by name: the points of each add up to it."""


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
    """Segments that are looked up often, in order; of a policy with tiers the hot ones."""
    expired_seq: int = 0
    """Last turn of which retention removed the words."""
    system_turns: int = 0
    """At most so many turns of an operator are stored."""
    closed_tokens: int = 0
    """Estimated tokens of the turns up to `closed_seq`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A turn that answers the query, beside the notes: it may repeat what they say."""

    turn: StoredTurn
    score: float
    node_idx: int
    """The segment that holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that one read fetched, before any text of a level: Redis first, then one state of SQL."""

    conversation_id: str
    head: Head | None
    """None: nothing is stored; the inbox may still hold turns."""
    seals: Seals
    """What may stand in the frame around what is told of the conversation: nobody who takes part in it knows them."""
    sealed: int = 0
    """The number of the seal that stands there."""
    anchors: Sequence[Anchor] = ()
    """Top active anchors, best first, at most 64, those of the open tail among them."""
    outline: Outline | None = None
    """The best notes of all that is folded, as many as the budget has a use for."""
    question: str | None = None
    """What the read is about: its query, or the words of the newest user turn that stands in its place."""
    hits: tuple[ShownNote, ...] = ()
    """With a question: notes that it is about, best first."""
    turns: Sequence[StoredTurn] = ()
    """The newest turns in order, stored then inbox, at most 200; content may be cut at the read's cap."""
    hidden_turns: Sequence[StoredTurn] = ()
    """Of a read of some speakers or origins, the newest turns with the words of all: they may change what is shown."""
    system_turns: tuple[StoredTurn, ...] = ()
    """An operator's turns, whole, in order: of those with the same words the first and the last."""
    excerpts: tuple[Excerpt, ...] = ()
    """With a question: turns of the segments that its terms point to, best first."""
    cold: tuple[tuple[int, int], ...] = ()
    """With a policy's tiers: first and last turn of the cold segments."""
    blocks: tuple[FoundBlock, ...] = ()
    """With a question that asks for a block: those of folded turns that it may mean, best first."""
    told_of_blocks: Mapping[str, float] = field(default_factory=dict)
    """What each word of such a question tells, from all blocks that are known of folded turns."""
    answerable: float | None = None
    """Of a query, how likely what was found answers it, 0 to 1."""
    changing: frozenset[int] = frozenset()
    """Stored turns of which other words wait in the inbox: `turns` have those, and nothing else has."""
    passages: tuple[Passage, ...] = ()
    """What the caller asked to be expanded, in the order in which it was asked for."""
    degraded: bool = False
    """Redis did not answer: turns that wait in the inbox are missing."""
    has_lost_postings: bool = False
    """Closed segments were not searched for the question: their search rows were dropped, and are to be made again."""
    unread: int = 0
    """About how many turns of the inbox are older than those in `turns`. Above 0 the numbers of turns that are not
    stored only order them: what the others will be is not known."""

    @property
    def last_seq(self) -> int:
        """Number of the newest turn; 0 for an empty conversation."""
        return self.turns[-1].seq if self.turns else 0
