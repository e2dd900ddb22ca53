"""Return types of client calls, and the data that one read fetches for a context."""

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
"""Maximum number of distinct operator texts in a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The turns that `append` accepted, in order."""

    turn_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """The result of `forget`. Counts are of SQL; `inbox_turns` were only in Redis."""

    conversation_id: str
    completed: bool
    """False while a worker has yet to delete the rows; Redis is clean and nothing is readable any more."""
    inbox_turns: int
    turns: int
    segments: int
    anchors: int
    remains: tuple[str, ...] = ()
    """Logs of the databases that may contain the words for a while, and until when; no read uses them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReceipt:
    """The result of `forget(subject=…)` for an end user."""

    subject: str
    completed: bool
    """False while a worker has yet to delete the rows; nothing is readable any more."""
    conversations: tuple[ErasureReceipt, ...]
    """Conversations in which no other subject has a turn: erased as a whole."""
    shared: Mapping[str, int]
    """Number of this subject's turns that were deleted, by conversation shared with other subjects."""
    still_quoted: tuple[str, ...] = ()
    """Shared conversations that may still quote the subject, as retention had removed its turns. Forget those too."""
    remains: tuple[str, ...] = ()
    """Like `ErasureReceipt.remains`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConversation:
    """A conversation with its counters in SQL."""

    conversation_id: str
    turns: int
    """Stored turns, without those waiting in the inbox."""
    folded: int
    """Last folded turn; the newest of the folded turns may be in the open tail."""
    closed: int
    """Turns inside a segment."""
    anchors: int
    """Active anchors of the rules."""
    changed_at: datetime
    """Time of a worker's last write to the conversation."""
    title: str | None = None
    """Title set by `configure` or an import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Progress of the work on a conversation."""

    conversation_id: str
    inbox: int
    """Turns that are only in Redis."""
    stored: int
    """Turns stored in SQL."""
    folded: int
    """Turns processed by the segmenter; the newest of them may be in the open tail."""
    closed: int
    """Turns inside a segment."""
    refined: int
    """Turns inside a segment that is shown in a model's words."""
    segments: int
    anchors: int
    """Active anchors of closed segments."""
    parked: int
    """Entries and jobs that need a person, at most 1,000 of each: see `turnfold jobs`."""
    lag_seconds: float
    """Age of the oldest turn that is not stored yet; 0.0 if the inbox is empty."""

    @property
    def settled(self) -> bool:
        """Whether everything appended so far is stored, and every closed segment is folded."""
        return self.inbox == 0 and self.folded >= self.stored


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPart:
    """A part of a long turn, about one topic."""

    title: str
    """Heading of the part, or the words that distinguish it from the other parts; one line."""
    number: int
    """Index of the part, from 1."""
    count: int
    """Number of parts of the turn."""
    turn_seq: int
    start: int
    end: int
    """`start` and `end` are code points of the turn."""
    marker: str
    """Marker for `expand`, which returns the part verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result of a search."""

    kind: Literal["segment", "turn"]
    score: float
    snippet: str
    first_seq: int
    last_seq: int
    marker: str
    """Marker of the result, for `expand`."""
    speaker: str
    """Speaker of the turn that the snippet is from."""
    origin: Origin
    """Origin of the turn that the snippet is from."""
    part: TurnPart | None = None
    """For a segment: the part of a long turn that answers the query, if known; `snippet` is from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A statement of the conversation, the unit of contexts."""

    text: str
    """One line: a clause verbatim, a short reply after its question in brackets, or a model's words."""
    turn_ids: tuple[str, ...]
    """The caller's ids of the supporting turns, in order."""
    turn_seq: int
    """Number of the turn; for a model's note, of the first supporting turn."""
    speaker: str
    role: Role
    day: str
    """Day of the turn, as contexts show it: `8 May 2026`; empty for a turn without a time."""
    day_meant: str | None
    """The one time that the note refers to, in words: `7 May 2026` for `yesterday`, `every Tuesday`; else None."""
    meant_from: date | None
    """First day of that time; None if unknown, open or recurring."""
    meant_to: date | None
    """Last day of that time."""
    precision: str | None
    """Precision as stated: `day`, `week`, `month`, `year`, `open` without a beginning or end, `recurring`."""
    is_plan: bool
    """Whether that time was still to come in the turn, and no later turn reports the plan as done."""
    valid_from: date | None
    """First day of validity; None if unknown."""
    valid_to: date | None
    """Last day of validity, or the day of the turn that closed the statement; None if unknown."""
    written_by: Literal["rules", "model"]
    origin: Origin
    """Origin of the least trusted supporting turn."""
    importance: int
    """Importance from 0 to 100; 0 for words that say nothing by themselves."""
    factors: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Components of the importance by name; doubts are negative."""
    state: AnchorState
    """State of the anchor over the same words; `superseded` where another value replaced it."""
    marker: str
    """Marker for `expand`, which returns the turns verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """An event at its first mention."""

    day: str
    """Day of the turn: `8 May 2026`; empty for a turn without a time."""
    day_meant: str | None
    """The one time that the text refers to, in words: `7 May 2026`, `every tuesday`; else None."""
    meant_from: date | None
    """First day of that time; None if unknown, open or recurring."""
    meant_to: date | None
    """Last day of that time."""
    is_plan: bool
    """Whether that time was still to come in the turn, and no later turn reports the plan as done."""
    text: str
    speaker: str
    origin: Origin
    turn_seq: int
    turn_id: str
    """The caller's id of the turn, or the generated one."""
    marker: str
    """Marker for `expand`, which returns the turn verbatim."""
    state: AnchorState = AnchorState.ACTIVE
    """`superseded` if a later turn replaced the statement, `resolved` for a plan reported as done, else `active`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A node or a range of turns, at one level."""

    text: str
    level: int
    first_seq: int
    last_seq: int
    turns: tuple[StoredTurn, ...] = ()
    """The verbatim turns, at level 0; the first and last may be truncated to `max_tokens`."""
    tokens: int = 0
    truncated: bool = False
    """Whether there is more; `next_marker` then continues, at level 0 from the end of this."""
    next_marker: str | None = None
    reconstructed: bool = False
    """Whether a model wrote the text in place of turns that retention removed: not the speakers' words."""
    parts: tuple[TurnPart, ...] = ()
    """Parts of the long turns in this expansion, once they are folded."""
    markers: tuple[str, ...] = ()
    """Markers in `text` that lead to more detail, at levels 1 to 3 of a range."""
    verbatim_marker: str | None = None
    """Marker of the verbatim turns, if `text` summarizes them in notes; None at level 0."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The expansion of a marker, to be shown in a context."""

    marker: str
    expansion: Expansion


@dataclass(frozen=True, slots=True)
class Often:
    """A segment that is expanded often."""

    node: Node
    weight: int
    """Number of expansions, decayed by age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentSigns:
    """Inputs of a segment's importance, from SQL."""

    node: Node
    facts: Mapping[str, Sequence[str]]
    """Names and statements of the segment, by kind."""
    weight: int = 0
    """Number of expansions, decayed by age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A structured fact that the rules extracted from a segment."""

    text: str
    """`subject verb object`, `somebody's sister is name` or `key: value`; an unnamed speaker is `user`."""
    first_seq: int
    last_seq: int
    marker: str
    """Marker for `expand`, which returns the segment in detail."""


Tier = Literal["hot", "warm", "cold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TieredSegment(OfNode):
    """A segment with its importance and the resulting tier."""

    tier: Tier
    importance: int
    """Importance from 0 to 100."""
    factors: Mapping[str, int] = field(hash=False)
    """Components of the importance by name; they add up to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The conversation row, as reads and folds need it."""

    id: ConversationId
    turn_count: int
    closed_seq: int
    fold_seq: int
    node_count: int
    """Number of segments, the nodes of height 0."""
    anchor_count: int
    """Number of active anchors."""
    anchor_tokens: int
    """Estimated tokens of the active anchors."""
    revision: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The goal, constraints and settings in force."""
    often: tuple[Often, ...] = ()
    """Segments that are expanded often, in order; under a policy with tiers, the hot ones."""
    expired_seq: int = 0
    """Last turn whose words retention removed."""
    system_turns: int = 0
    """Upper bound on the number of stored turns of an operator."""
    closed_tokens: int = 0
    """Estimated tokens of the turns up to `closed_seq`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A turn that answers the query, shown along with notes, which may repeat it."""

    turn: StoredTurn
    score: float
    node_idx: int
    """The segment that contains the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything that one read fetched, before any text of a level: Redis first, then one state of SQL."""

    conversation_id: str
    head: Head | None
    """None if nothing is stored; the inbox may still contain turns."""
    seals: Seals
    """Seals for the frame around quoted conversation text; no participant knows them."""
    sealed: int = 0
    """Number of the seal in use."""
    anchors: Sequence[Anchor] = ()
    """The best active anchors, including those of the open tail, best first, at most 64."""
    outline: Outline | None = None
    """The best notes of everything folded, as many as the budget can use."""
    question: str | None = None
    """The query, or else the text of the newest user turn."""
    hits: tuple[ShownNote, ...] = ()
    """Notes that are relevant to the question, best first."""
    turns: Sequence[StoredTurn] = ()
    """The newest turns, stored then inbox, at most 200; content may be truncated to the read's cap."""
    hidden_turns: Sequence[StoredTurn] = ()
    """In a read filtered by speaker or origin, the newest unfiltered turns, as they may change what is shown."""
    system_turns: tuple[StoredTurn, ...] = ()
    """An operator's turns, untruncated, in order; of turns with equal text, the first and the last."""
    excerpts: tuple[Excerpt, ...] = ()
    """Turns of the segments that match the question, best first."""
    cold: tuple[tuple[int, int], ...] = ()
    """Under a policy with tiers, the first and last turn of each cold segment."""
    blocks: tuple[FoundBlock, ...] = ()
    """For a question about a code block, table or output: matching blocks of folded turns, best first."""
    told_of_blocks: Mapping[str, float] = field(default_factory=dict)
    """Weight of each word of such a question, over all known blocks of folded turns."""
    answerable: float | None = None
    """For a query, the probability that the results answer it, 0 to 1."""
    changing: frozenset[int] = frozenset()
    """Stored turns with an edit waiting in the inbox: only `turns` has their new words."""
    passages: tuple[Passage, ...] = ()
    """Expansions that the caller requested, in order."""
    degraded: bool = False
    """Whether Redis did not answer: turns waiting in the inbox are missing."""
    has_lost_postings: bool = False
    """Whether closed segments were not searched because their postings were dropped and have to be rebuilt."""
    unread: int = 0
    """Approximate number of inbox turns older than those in `turns`. If above 0, the numbers of unstored turns are
    provisional: they only order the turns."""

    @property
    def last_seq(self) -> int:
        """Number of the newest turn; 0 for an empty conversation."""
        return self.turns[-1].seq if self.turns else 0
