"""What the use cases need of the outside world, in their own words. Adapters and test fakes implement these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from turnfold.contract.access import Expansions
from turnfold.contract.keys import Place
from turnfold.contract.marks import StoredMark
from turnfold.contract.tasks import JobKind
from turnfold.contract.vectors import Vector
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.ports.messages import Claim


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
