"""What the use cases and their ports hand to one another: each value is of one moment, and nothing changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnfold.contract.keys import Address, Place
from turnfold.contract.records import Anchor, AnchorChange, ConversationId, JobId, Method, StoredTurn
from turnfold.contract.tasks import Operation
from turnfold.contract.vectors import Vector
from turnfold.wire.inbox_entry import InboxEntry
from turnfold.wire.turn_edits import TurnChange
from turnfold_worker.pipeline.settings import FoldSettings, settings_at

if TYPE_CHECKING:
    from turnfold.contract.outlines import Outline
    from turnfold_worker.pipeline.fold import FoldedNode
    from turnfold_worker.pipeline.notes.search_rows import Bundle
    from turnfold_worker.pipeline.turns.memo import TurnMemo


@dataclass(frozen=True, slots=True)
class Claim:
    """A conversation whose inbox is ours until the lease ends."""

    place: Place
    token: str
    """Proves the claim: the end of the lease in microseconds."""
    forgotten_at: str | None = None
    """Set when its old rows have to be deleted before anything new is stored."""

    @property
    def address(self) -> Address:
        return self.place.address


@dataclass(frozen=True, slots=True)
class ReceivedTurn:
    """A turn on its way into SQL; SQL numbers it."""

    turn: StoredTurn
    """Its `seq` is 0. A placeholder when the entry is parked."""
    entry: InboxEntry
    """As it came; kept whole when it is parked."""
    error: str | None = None
    """Why it is parked."""
    may_wait: bool = False
    """Whether it is folded when nothing else is due."""
    subject: str | None = None
    """The end user whose turn it is."""


@dataclass(frozen=True, slots=True)
class ReceivedOperation:
    """An operation other than append, at its place among the turns."""

    operation: Operation
    operation_id: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ParkedOperation:
    """An entry that is no turn and could not be carried out: kept for a person, in no one's way."""

    entry: InboxEntry
    error: str


@dataclass(frozen=True, slots=True)
class ReceivedChange:
    """A change of turns that were appended before, at its place among them."""

    change: TurnChange
    entry: InboxEntry
    """As it came; kept whole when it cannot be carried out."""


Received = ReceivedTurn | ReceivedOperation | ReceivedChange | ParkedOperation


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change did."""

    count: int
    """Turns that the conversation has now."""
    removed: frozenset[str] = frozenset()
    """Ids of turns that are no more."""
    refolds_due: bool = False
    """Whether it made jobs to fold segments again."""
    refused: str | None = None
    """Why it could not be carried out: for a person."""
    repeated: bool = False
    """It had been received before, and nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreResult:
    """What one storing transaction did."""

    missing: frozenset[ConversationId] = frozenset()
    """Forgotten meanwhile: nothing of theirs was stored."""
    folds_due: bool = False
    """Whether the fold job of any conversation became due with this transaction."""
    refolds_due: bool = False
    """Whether any segment is to be folded again, because a turn of it was changed."""
    new_turns: int = 0
    revisions: Mapping[ConversationId, int] = field(default_factory=dict)
    """Of each conversation that was stored, the revision from which on it has what was received, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What a fold starts from: one committed state of a conversation."""

    conversation: ConversationId
    closed_seq: int
    turn_count: int
    node_count: int
    next_anchor: int
    edit_revision: int
    segmenter: Mapping[str, Any] | None
    said: Mapping[str, int]
    """Tokens of each role up to `closed_seq`."""
    configurations: Sequence[tuple[int, Mapping[str, Any]]]
    """(after_seq, what is then in force), oldest first."""
    before: Sequence[StoredTurn]
    """The last turns up to `closed_seq`, which the next segment may repeat: at most `NEIGHBOURS`."""
    # Files are read again a few turns later, so that nearly all repeats cross a boundary. The price: when one of these
    # turns is edited, the segment after its own must be folded again too.
    turns: Sequence[StoredTurn]
    """Turns after `closed_seq`, whole, in order; at most the number asked for."""
    frame: Outline | None = None
    """What the stored outline covers, without its notes; None before the first fold."""
    vectors: Mapping[int, Vector] = field(default_factory=dict)
    """Stored sentence vectors of these turns by `seq`; empty without a sentence model."""
    postings_standing: int | None = None
    """How many of the first segments have their postings, where those of an idle conversation were dropped."""
    memos: Mapping[int, TurnMemo] = field(default_factory=dict)
    """What folds made of single turns by `seq`: first what is stored, then what this fold adds."""

    @property
    def settings(self) -> FoldSettings:
        """The settings that its first turn is folded with."""
        return settings_at(self.configurations, self.turns[0].seq)


@dataclass(frozen=True, slots=True)
class Meant:
    """What the passages of a segment mean, by a sentence model: see `turnfold.contract.vectors.pack_signs`."""

    model: str
    signs: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Everything that closing one segment writes, in one transaction."""

    tail: Tail
    """The state it was computed from; written only if the conversation is still in it."""
    nodes: Sequence[FoldedNode]
    """The segment, then the chapters that it completes, upwards."""
    anchors: Sequence[Anchor]
    changes: Sequence[AnchorChange]
    segmenter: Mapping[str, Any]
    decided_seq: int
    """The turn with which the segment's end was decided."""
    refold_error: str | None = None
    """Set when the segment got plain words: the reason, for the parked refold job."""
    meant: Meant | None = None


@dataclass(frozen=True, slots=True)
class FoldClaim:
    """A fold job that is ours until its lease ends."""

    conversation: ConversationId
    claim: str
    attempts: int
    """Tries on the segment at hand, this one included."""
    error: str | None = None
    """What the last try that could say so failed with."""


@dataclass(frozen=True, slots=True)
class FoldClaims:
    """Fold jobs that one task took."""

    claims: Sequence[FoldClaim]
    more: bool
    """Whether others are due."""


@dataclass(frozen=True, slots=True)
class RefoldClaim:
    """A job to fold a closed segment again, that is ours until its lease ends."""

    job: JobId
    conversation: ConversationId
    idx: int
    """Of the segment."""
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedSegment:
    """What folding a segment again starts from: one committed state of its conversation."""

    conversation: ConversationId
    idx: int
    closed_seq: int
    next_anchor: int
    edit_revision: int
    configurations: Sequence[tuple[int, Mapping[str, Any]]]
    """(after_seq, what is then in force), oldest first."""
    said_before: Mapping[str, int]
    """Tokens of each role up to its first turn."""
    before: Sequence[StoredTurn]
    """The last turns before it: at most `NEIGHBOURS`."""
    turns: Sequence[StoredTurn]
    """Its turns, whole, in order."""
    anchors: Sequence[Anchor]
    """Those that it has already."""
    by_hand: frozenset[int] = frozenset()
    """Ids of those that a person settled: they stay, whatever the rules find now."""
    loose: Sequence[Anchor] = ()
    """Active anchors of the conversation that were overtaken by one that is no more."""

    @property
    def settings(self) -> FoldSettings:
        """The settings that it is folded with."""
        return settings_at(self.configurations, self.turns[0].seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedSegment:
    """A segment whose postings were dropped, perhaps its levels too, and what they are made again from."""

    idx: int
    method: Method
    """How its words were made."""
    closed: ClosedSegment | None
    """Its turns; None where retention removed their words."""
    stored: Sequence[Bundle]
    """Its passages, in order."""
    has_levels: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Refold:
    """Everything that folding a segment again writes, in one transaction."""

    job: JobId
    segment: ClosedSegment
    """The state it was computed from; written only if the conversation is still in it."""
    nodes: Sequence[FoldedNode]
    """The segment, then the chapters above it, upwards: each replaces its older self."""
    anchors: Sequence[Anchor]
    """New ones."""
    changes: Sequence[AnchorChange]
    stale: frozenset[int] = frozenset()
    """Ids of anchors that the rules do not find any more."""
    weighed: Sequence[Anchor] = ()
    """Those that they find again, as they weigh them now."""
    meant: Meant | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """A conversation that nobody finds any more and whose rows are still to be deleted."""

    conversation: ConversationId
    counts: Mapping[str, int]
    """What it held when it was hidden, for the receipt."""


@dataclass(frozen=True, slots=True)
class DueTenants:
    """Tenants that keep words for longer than they are to be kept."""

    until: Mapping[str, int]
    """Tenant -> when a segment was closed at the latest, in milliseconds, whose words are to go."""
    reached: str | None
    """The tenant to go on behind; None when there are no others."""
