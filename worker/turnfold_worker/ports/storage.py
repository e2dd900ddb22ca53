"""Ports of the use cases to storage and messaging, implemented by adapters and test fakes."""

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
    """The inboxes in Redis, as drains and sweeps use them."""

    def silence_bells(self, shards: Sequence[int]) -> None:
        """Let the next append ring again. Called before claiming, or a wake-up is lost."""

    def ring_bell(self, shard: int) -> bool:
        """Set the bell; False if it is set already."""

    def silence_jobs(self, kind: JobKind) -> None:
        """As `silence_bells`, for due jobs."""

    def ring_jobs(self, kind: JobKind) -> bool:
        """As `ring_bell`, for due jobs."""

    def claim(self, shards: Sequence[int], most: int) -> list[Claim]:
        """Claim up to `most` ready conversations of each shard, round robin over tenants."""

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        """Read the oldest entries of each claimed inbox, up to `most` or a byte limit, but at least one."""

    def mark_stored(self, marks: Mapping[Place, StoredMark]) -> None:
        """Record how far conversations are stored, for readers of a replica; a mark only moves forward."""

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        """Trim each inbox through a stream id (None: nothing was stored) and give the claim back, if still ours."""

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        """Give claims back; they can be claimed again after some seconds."""

    def count_refusal(self, claim: Claim) -> int:
        """Count a failure to store a conversation; return the number of recent failures since it was last stored."""

    def waiting(self) -> list[int]:
        """Return the shards with ready inboxes or forgotten conversations."""

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        """Return forgotten conversations whose rows are still to be deleted."""

    def still_forgotten(self, claim: Claim) -> bool:
        """Whether the deletion that `claim` names is still to be done."""

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        """Record that the rows are gone."""

    def mark_remnants(self) -> None:
        """Record that text was erased which logs may still contain."""

    def remnants(self) -> dict[str, str]:
        """Return the logs that may contain erased text, each with a mark of the time of erasure."""

    def rewrite_log(self, mark: str) -> bool:
        """Let Redis rewrite its log, at limited intervals; True once a rewrite begun after the mark is complete."""

    def cleared(self, kind: str, mark: str) -> None:
        """Record that a log no longer contains erased text, unless more was erased since."""

    def start_sweep(self) -> bool:
        """Return True to the one caller that sweeps in this interval."""

    def start_expiry(self) -> bool:
        """Return True to the one caller that runs retention in this hour."""

    def repeat_expiry(self) -> None:
        """Let the next sweep run retention again: more turns have expired."""

    def take_expansions(self, most: int) -> list[Expansions]:
        """Take the uncounted expansions of up to `most` conversations per shard. Each is returned once."""


class SentenceEmbedder(Protocol):
    """A sentence model: the closer two texts in meaning, the higher the cosine similarity of their vectors."""

    model: str
    """Stored with every vector: vectors of different models cannot be compared."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises `ModelAway`."""


class Publisher(Protocol):
    """Publishes work to workers. A message that cannot be sent is dropped: a sweep publishes again."""

    def drain(self, shard: int) -> None: ...

    def erase(self, shard: int) -> None: ...

    def work(self, kind: JobKind) -> None:
        """Publish that jobs of a kind are due."""
