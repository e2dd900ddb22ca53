"""Immutable values passed between the use cases and their ports, each a snapshot of one moment."""

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
    """A conversation whose inbox this worker has leased."""

    place: Place
    token: str
    """Proves the claim: the end of the lease in microseconds."""
    forgotten_at: str | None = None
    """Set when the old rows have to be deleted before anything new is stored."""

    @property
    def address(self) -> Address:
        return self.place.address


@dataclass(frozen=True, slots=True)
class ReceivedTurn:
    """A turn to be stored in SQL, which numbers it."""

    turn: StoredTurn
    """Its `seq` is 0. A placeholder when the entry is parked."""
    entry: InboxEntry
    """The entry as received; kept whole when it is parked."""
    error: str | None = None
    """The reason why the entry is parked."""
    may_wait: bool = False
    """Whether folding may wait until nothing else is due."""
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
    """An entry other than a turn that could not be carried out: kept for a person, and blocking nothing."""

    entry: InboxEntry
    error: str


@dataclass(frozen=True, slots=True)
class ReceivedChange:
    """A change of turns that were appended before, at its place among them."""

    change: TurnChange
    entry: InboxEntry
    """The entry as received; kept whole when it cannot be carried out."""


Received = ReceivedTurn | ReceivedOperation | ReceivedChange | ParkedOperation


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a change."""

    count: int
    """Number of turns after the change."""
    removed: frozenset[str] = frozenset()
    """Ids of removed turns."""
    refolds_due: bool = False
    """Whether the change made jobs to fold segments again."""
    refused: str | None = None
    """Why the change could not be carried out, for a person."""
    repeated: bool = False
    """The change had been received before, and nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreResult:
    """The result of one storing transaction."""

    missing: frozenset[ConversationId] = frozenset()
    """Conversations that were forgotten meanwhile: none of their entries were stored."""
    folds_due: bool = False
    """Whether the fold job of any conversation became due with this transaction."""
    refolds_due: bool = False
    """Whether any segment has to be folded again, because one of its turns was changed."""
    new_turns: int = 0
    revisions: Mapping[ConversationId, int] = field(default_factory=dict)
    """For each stored conversation, the revision from which on it includes the received entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The input of a fold: one committed state of a conversation."""

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
    """(after_seq, the configuration in force from then on), oldest first."""
    before: Sequence[StoredTurn]
    """The last turns up to `closed_seq`, which the next segment may repeat: at most `NEIGHBOURS`."""
    # Files are read again a few turns later, so nearly all repeats cross a boundary. The price: when one of these turns
    # is edited, the segment after its own must be folded again too.
    turns: Sequence[StoredTurn]
    """Turns after `closed_seq`, whole, in order; at most the requested number."""
    frame: Outline | None = None
    """The frame of the stored outline, without its notes; None before the first fold."""
    vectors: Mapping[int, Vector] = field(default_factory=dict)
    """Stored sentence vectors of `turns` by `seq`; empty without a sentence model."""
    postings_standing: int | None = None
    """Number of leading segments that have postings; None unless postings of an idle conversation were dropped."""
    memos: Mapping[int, TurnMemo] = field(default_factory=dict)
    """Intermediate results on single turns by `seq`: first the stored ones, then those that this fold adds."""

    @property
    def settings(self) -> FoldSettings:
        """The settings that the first turn is folded with."""
        return settings_at(self.configurations, self.turns[0].seq)


@dataclass(frozen=True, slots=True)
class Meant:
    """Embeddings of the passages of a segment, as signs: see `turnfold.contract.vectors.pack_signs`."""

    model: str
    signs: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Everything that closing one segment writes in one transaction."""

    tail: Tail
    """The state that the fold was computed from; written only if the conversation is still in that state."""
    nodes: Sequence[FoldedNode]
    """The segment, then the chapters that it completes, bottom-up."""
    anchors: Sequence[Anchor]
    changes: Sequence[AnchorChange]
    segmenter: Mapping[str, Any]
    decided_seq: int
    """The turn with which the segment's end was decided."""
    refold_error: str | None = None
    """The reason, when the segment got plain words: for the parked refold job."""
    meant: Meant | None = None


@dataclass(frozen=True, slots=True)
class FoldClaim:
    """A fold job that this worker has leased."""

    conversation: ConversationId
    claim: str
    attempts: int
    """Tries on the current segment, including this one."""
    error: str | None = None
    """The error of the last try that recorded one."""


@dataclass(frozen=True, slots=True)
class FoldClaims:
    """Fold jobs that one task claimed."""

    claims: Sequence[FoldClaim]
    more: bool
    """Whether further jobs are due."""


@dataclass(frozen=True, slots=True)
class RefoldClaim:
    """A job to fold a closed segment again, leased by this worker."""

    job: JobId
    conversation: ConversationId
    idx: int
    """Index of the segment."""
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedSegment:
    """The input of folding a segment again: one committed state of its conversation."""

    conversation: ConversationId
    idx: int
    closed_seq: int
    next_anchor: int
    edit_revision: int
    configurations: Sequence[tuple[int, Mapping[str, Any]]]
    """(after_seq, the configuration in force from then on), oldest first."""
    said_before: Mapping[str, int]
    """Tokens of each role before its first turn."""
    before: Sequence[StoredTurn]
    """The last turns before it: at most `NEIGHBOURS`."""
    turns: Sequence[StoredTurn]
    """Its turns, whole, in order."""
    anchors: Sequence[Anchor]
    """The stored anchors of the segment."""
    by_hand: frozenset[int] = frozenset()
    """Ids of anchors that a person settled: they stay, whatever the rules find."""
    loose: Sequence[Anchor] = ()
    """Active anchors of the conversation that had been overtaken by an anchor since deleted."""

    @property
    def settings(self) -> FoldSettings:
        """The settings that the segment is folded with."""
        return settings_at(self.configurations, self.turns[0].seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedSegment:
    """A segment whose postings, and perhaps levels, were dropped, and the input to rebuild them."""

    idx: int
    method: Method
    """How its levels were made."""
    closed: ClosedSegment | None
    """Its turns; None where retention removed their text."""
    stored: Sequence[Bundle]
    """Its passages, in order."""
    has_levels: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Refold:
    """Everything that folding a segment again writes in one transaction."""

    job: JobId
    segment: ClosedSegment
    """The state that the refold was computed from; written only if the conversation is still in that state."""
    nodes: Sequence[FoldedNode]
    """The segment, then the chapters above it, bottom-up: each replaces its stored version."""
    anchors: Sequence[Anchor]
    """New anchors."""
    changes: Sequence[AnchorChange]
    stale: frozenset[int] = frozenset()
    """Ids of anchors that the rules no longer find."""
    weighed: Sequence[Anchor] = ()
    """Anchors found again, with their new weights."""
    meant: Meant | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """A conversation hidden from all reads, whose rows are still to be deleted."""

    conversation: ConversationId
    counts: Mapping[str, int]
    """Counts of its rows when it was hidden, for the receipt."""
