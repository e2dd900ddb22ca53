"""What the use cases need of the outside world, in their own words. Adapters and test fakes implement these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from turnfold.contract.access import Expansions
from turnfold.contract.keys import Address
from turnfold.contract.notes import Covered, Outline
from turnfold.contract.records import Anchor, ConversationId, JobId, StoredTurn
from turnfold.contract.tasks import Operation
from turnfold.contract.vectors import Vector
from turnfold_worker.pipeline.deduplicate import AnchorChange
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.outline import NodeNotes, NodeSize


@dataclass(frozen=True, slots=True)
class Claim:
    """A conversation whose inbox is ours until the lease ends."""

    address: Address
    token: str
    """Proves the claim: the end of the lease in microseconds."""
    forgotten_at: str | None = None
    """Set when its old rows have to be deleted before anything new is stored."""


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """An entry of an inbox, as it was appended."""

    stream_id: str
    operation: str
    entry_id: str
    body: bytes


class Inbox(Protocol):
    """The Redis side of a drain."""

    def silence_bell(self, shard: int) -> None:
        """Let the next append ring again. Comes before claiming, or a wake-up is lost."""

    def ring_bell(self, shard: int) -> bool:
        """Set the bell; False if it is set already."""

    def claim(self, shard: int, most: int) -> list[Claim]:
        """Take up to `most` ready conversations, round robin over tenants."""

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        """The oldest `most` entries of each claimed inbox, fewer where they are large, one at least."""

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        """Trim each inbox through a stream id (None: nothing was stored) and give the claim back, if still ours."""

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        """Give claims back to be taken again after a while."""

    def count_refusal(self, claim: Claim) -> int:
        """Count that a conversation could not be stored; how often since it last was, lately."""

    def waiting(self) -> list[int]:
        """Shards that hold anything at all."""

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        """Forgotten conversations whose rows are to be deleted."""

    def still_forgotten(self, claim: Claim) -> bool:
        """Whether the deletion that `claim` names is still to be done."""

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        """Record that the rows are gone."""

    def start_sweep(self) -> bool:
        """True for the one caller who sweeps in this interval."""

    def start_expiry(self) -> bool:
        """True for the one caller who looks for turns to expire in this hour."""

    def take_expansions(self, most: int) -> list[Expansions]:
        """Expansions that are not counted yet, of up to `most` conversations of each shard. They are taken once."""


@dataclass(frozen=True, slots=True)
class ReceivedTurn:
    """A turn on its way into SQL; SQL numbers it."""

    turn: StoredTurn
    """Its `seq` is 0. A placeholder when the entry is parked."""
    entry: InboxEntry
    """As it came; kept whole when it is parked."""
    error: str | None = None
    """Why it is parked."""


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


Received = ReceivedTurn | ReceivedOperation | ParkedOperation


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreResult:
    """What one storing transaction did."""

    missing: frozenset[ConversationId] = frozenset()
    """Forgotten meanwhile: nothing of theirs was stored."""
    to_fold: tuple[ConversationId, ...] = ()
    """Conversations whose fold job became due with this transaction."""
    new_turns: int = 0


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
    vectors: Mapping[int, Vector] = field(default_factory=dict)
    """Stored sentence vectors of these turns by `seq`; empty without a sentence model."""


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
    refold_error: str | None = None
    """Set when the segment got plain words: the reason, for the parked refold job."""


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


@dataclass(frozen=True, slots=True)
class Hidden:
    """A conversation that nobody finds any more and whose rows are still to be deleted."""

    conversation: ConversationId
    counts: Mapping[str, int]
    """What it held when it was hidden, for the receipt."""


class Store(Protocol):
    """The SQL side of the use cases. Every method is one transaction."""

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        """Ids of conversations, made where there are none."""

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None:
        """Delete those that never held anything: made for an inbox that was forgotten before it could be read."""

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        """Store what was received, all or nothing, in order; repeats change nothing."""

    def leave_to_sweeps(self, conversations: Sequence[ConversationId]) -> None:
        """Let the next sweep find due folds of which nobody was told."""

    def claim_fold(self, conversation: ConversationId) -> FoldClaim | None:
        """Take the fold job and count the attempt; None when there is nothing to do or another has it."""

    def tail(self, conversation: ConversationId, most: int) -> Tail | None:
        """The state to fold from; None when the conversation is gone."""

    def turn_vectors(self, conversation: ConversationId, model: str, first: int, last: int) -> dict[int, Vector]:
        """Stored vectors of turns `first` to `last` by `seq`: of what the turns say now."""

    def keep_turn_vectors(
        self, conversation: ConversationId, model: str, vectors: Sequence[tuple[StoredTurn, Vector]]
    ) -> dict[int, Vector]:
        """Store vectors of turns where none holds; those that then hold, by `seq`. Whoever was first is believed."""

    def anchor_vectors(self, conversation: ConversationId, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Stored vectors of anchors, by their texts."""

    def keep_anchor_vectors(
        self, conversation: ConversationId, model: str, vectors: Sequence[tuple[str, Vector]]
    ) -> dict[str, Vector]:
        """As `keep_turn_vectors`, of texts."""

    def anchor_candidates(self, conversation: ConversationId, terms: Sequence[str], first_seq: int) -> list[Anchor]:
        """Earlier anchors that a new one of a segment from turn `first_seq` may repeat or replace: at most 96."""

    def siblings(self, conversation: ConversationId, height: int, first: int, last: int) -> list[FoldedNode]:
        """Nodes of a height by index, with their words."""

    def commit_fold(self, fold: Fold) -> bool:
        """Write a closed segment; False when the conversation is no longer in the state it was computed from."""

    def outline_frame(self, conversation: ConversationId) -> Outline | None:
        """What the outline covers, without its notes; None before the first fold."""

    def node_sizes(self, conversation: ConversationId, node_count: int) -> list[NodeSize]:
        """The newest nodes of each height, with the size of their notes."""

    def node_notes(self, conversation: ConversationId, cover: Sequence[Covered]) -> list[NodeNotes]:
        """The notes of the nodes of a cover, in its order."""

    def write_outline(self, seen: Tail, outline: Outline, *, frame_only: bool) -> bool:
        """Replace the outline (`frame_only`: of the open tail alone); False when the conversation has moved on."""

    def finish_fold(self, claim: FoldClaim, seen: Tail) -> bool:
        """Record that the segmenter has seen all; False when more came meanwhile and the job is still ours."""

    def release_fold(self, claim: FoldClaim, *, error: str | None, delay_seconds: float) -> None:
        """Give the job back, due after `delay_seconds`."""

    def due_folds(self, most: int) -> list[ConversationId]:
        """Jobs that are due or whose lease lapsed, few of each tenant; they count as published from now on."""

    def due_refolds(self, most: int) -> list[JobId]:
        """As `due_folds`. One whose worker died as often as it may is parked again."""

    def claim_refold(self, job: JobId) -> RefoldClaim | None:
        """Take the job and count the attempt; None when it is not due or another has it."""

    def closed_segment(self, conversation: ConversationId, idx: int) -> ClosedSegment | None:
        """The state to fold a segment again from; None when it is gone."""

    def commit_refold(self, refold: Refold) -> bool:
        """Replace a segment and end the job; False when the conversation is no longer in the computed state."""

    def release_refold(self, claim: RefoldClaim, *, error: str | None) -> None:
        """Park the job again with its error, or, without one, give it back with its attempt."""

    def count_expansions(self, expansions: Expansions) -> None:
        """Count what was looked up; nothing when the conversation was forgotten."""

    def hide(self, address: Address, confirmed: ConfirmErasure) -> Hidden | None:
        """Hide a conversation from everyone, if `confirmed` still says so once its rows are known.

        One that an earlier erasure hid and did not finish comes first, and needs no word. None: nothing is there.
        """

    def delete_some(self, conversation: ConversationId) -> bool:
        """Delete some rows of a hidden conversation; False when nothing of it is left."""


class ConfirmErasure(Protocol):
    """Asked between finding the rows and hiding them."""

    def __call__(self) -> bool: ...


class SentenceEmbedder(Protocol):
    """Directions of meaning: the nearer two texts, the higher the cosine of their vectors."""

    model: str
    """Kept with every vector: those of different models cannot be compared."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. Raises `ModelAway`."""


class Publisher(Protocol):
    """Celery, as far as the use cases know it."""

    def drain(self, shard: int) -> None: ...

    def compress(self, conversation: ConversationId) -> None: ...

    def refold(self, job: JobId) -> None: ...

    def refine(self, job: JobId) -> None: ...

    def erase(self, shard: int) -> None: ...

    def backlog(self) -> int:
        """Messages that wait for whoever folds; 0 when the broker does not say."""

    def refine_backlog(self) -> int:
        """Messages that wait for whoever refines; 0 when the broker does not say."""


class Clock(Protocol):
    """Monotonic seconds, for time slices only."""

    def __call__(self) -> float: ...
