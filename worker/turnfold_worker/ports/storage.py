"""What the use cases need of the outside world, in their own words. Adapters and test fakes implement these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from turnfold.contract.access import Expansions
from turnfold.contract.keys import Address, Place
from turnfold.contract.marks import StoredMark
from turnfold.contract.notes import Covered
from turnfold.contract.outlines import Outline
from turnfold.contract.records import Anchor, ConversationId, StoredTurn
from turnfold.contract.tasks import JobKind
from turnfold.contract.vectors import Vector
from turnfold_worker.ports.messages import (
    Claim,
    ClosedSegment,
    Fold,
    FoldClaim,
    FoldClaims,
    Hidden,
    InboxEntry,
    Received,
    Refold,
    RefoldClaim,
    StoreResult,
    Tail,
)

if TYPE_CHECKING:
    from turnfold_worker.pipeline.fold import FoldedNode
    from turnfold_worker.pipeline.notes.in_force import SettledAnchor
    from turnfold_worker.pipeline.outline import NodeNotes, NodeSize


class Inbox(Protocol):
    """The Redis side of a drain."""

    def silence_bells(self, shards: Sequence[int]) -> None:
        """Let the next append ring again. Comes before claiming, or a wake-up is lost."""

    def ring_bell(self, shard: int) -> bool:
        """Set the bell; False if it is set already."""

    def silence_jobs(self, kind: JobKind) -> None:
        """As `silence_bells`, of due jobs."""

    def ring_jobs(self, kind: JobKind) -> bool:
        """As `ring_bell`, of due jobs."""

    def claim(self, shards: Sequence[int], most: int) -> list[Claim]:
        """Take up to `most` ready conversations of each shard, round robin over tenants."""

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        """The oldest `most` entries of each claimed inbox, fewer where they are large, one at least."""

    def mark_stored(self, marks: Mapping[Place, StoredMark]) -> None:
        """Note how far conversations are stored, for readers of a replica; a mark only moves on."""

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

    def mark_remnants(self) -> None:
        """Note that words were erased which logs may hold still."""

    def remnants(self) -> dict[str, str]:
        """What may hold erased words, and when these were erased, as a mark."""

    def rewrite_log(self, mark: str) -> bool:
        """Let Redis write its log anew, now and then; True once one that was begun after a mark is over."""

    def cleared(self, kind: str, mark: str) -> None:
        """Note that erased words are gone from there, unless more were erased since."""

    def start_sweep(self) -> bool:
        """True for the one caller who sweeps in this interval."""

    def start_expiry(self) -> bool:
        """True for the one caller who looks for turns to expire in this hour."""

    def repeat_expiry(self) -> None:
        """Have the next sweep look again: there is more to expire."""

    def take_expansions(self, most: int) -> list[Expansions]:
        """Expansions that are not counted yet, of up to `most` conversations of each shard. They are taken once."""


class Store(Protocol):
    """The SQL side of the use cases. Every method is one transaction."""

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        """Ids of conversations, made where there are none."""

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None:
        """Delete those that never held anything: made for an inbox that was forgotten before it could be read."""

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        """Store what was received, all or nothing, in order; repeats change nothing."""

    def claim_fold(self, conversation: ConversationId) -> FoldClaim | None:
        """Take the fold job and count the attempt; None when there is nothing to do or another has it."""

    def claim_folds(self, hurried: ConversationId | None) -> FoldClaims:
        """Take some of the fold jobs that are due, tenant by tenant; `hurried` is due from now on.

        One that was tried before is taken alone, and its attempt counted; else it is counted when it fails.
        """

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

    def earlier_turns(self, conversation: ConversationId, marks: Sequence[int], idx: int) -> list[StoredTurn]:
        """Turns of segments before `idx` that hold any of `repeats.sought_marks`, in order: at most 16."""

    def siblings(self, conversation: ConversationId, height: int, first: int, last: int) -> list[FoldedNode]:
        """Nodes of a height by index, with their words."""

    def commit_fold(self, claim: FoldClaim, fold: Fold) -> bool:
        """Write a closed segment; False when the conversation is no longer in the state it was computed from."""

    def node_sizes(self, conversation: ConversationId, node_count: int) -> list[NodeSize]:
        """The newest nodes of each height, with the size of their notes."""

    def node_notes(self, conversation: ConversationId, cover: Sequence[Covered]) -> list[NodeNotes]:
        """The notes of the nodes of a cover, in its order."""

    def settled_anchors(self, conversation: ConversationId) -> list[SettledAnchor]:
        """The newest anchors that are over, and what took their places: as many whatever the length."""

    def user_turns(self, conversation: ConversationId, last_seq: int) -> list[StoredTurn]:
        """The first and the newest turns of users up to a number, in order."""

    def finish_fold(self, claim: FoldClaim, seen: Tail, outline: Outline, *, frame_only: bool) -> bool:
        """Replace the outline (`frame_only`: of the open tail alone), and record that the segmenter has seen all.

        False when the conversation has moved on and the job is still ours: it is to be looked at again.
        """

    def record_progress(self, seen: Tail, outline: Outline) -> None:
        """Replace the outline by one of the closed segments alone, if the conversation is still in that state."""

    def release_fold(self, claim: FoldClaim, *, error: str | None, delay_seconds: float) -> None:
        """Give the job back, due after `delay_seconds`."""

    def return_folds(self, claims: Sequence[FoldClaim]) -> None:
        """Give jobs back that were taken together and not begun: they keep their places."""

    def ripen(self) -> None:
        """Make due what was to be later and whose time has come; park jobs whose workers died as often as they may."""

    def has_due(self, kind: JobKind) -> bool:
        """Whether any job is due, or was left by a worker that died."""

    def claim_refold(self) -> RefoldClaim | None:
        """Take the next job that is due, tenant by tenant, and count the attempt; None when there is none."""

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

    def shorten_log(self) -> bool:
        """Empty the database's log where it has grown long and is ours to empty; False while reads are in the way."""

    def empty_log(self) -> bool:
        """Empty the database's log of what was erased, where that is ours to do; False while reads are in the way."""


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
    """Who is told of work, as far as the use cases know it. What cannot be told is dropped: a sweep tells it again."""

    def drain(self, shard: int) -> None: ...

    def erase(self, shard: int) -> None: ...

    def work(self, kind: JobKind) -> None:
        """Tell somebody that jobs of a kind are due."""


class Clock(Protocol):
    """Monotonic seconds, for time slices only."""

    def __call__(self) -> float: ...
