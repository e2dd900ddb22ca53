"""Work that waits for a person, and the port behind which it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, JobId, StoredTurn
from turnfold.contract.tasks import JobKind


class WorkKind(StrEnum):
    """What kind of work needs attention."""

    REFOLD = "refold"
    """A segment with plain words, to be folded again by the rules."""
    ENTRY = "entry"
    """An inbox entry that could not be stored as it was sent."""
    COMPRESS = "compress"
    """Folding a conversation: it fails, or nobody does it. Goes on by itself."""
    REFINE = "refine"
    """Better words from a model: it fails, or will never work. The rules' words stand."""


class WorkState(StrEnum):
    """Why it needs attention."""

    PARKED = "parked"
    """It waits for a person."""
    FAILING = "failing"
    """It was tried and will be tried again."""
    OVERDUE = "overdue"
    """It is due, or its lease is over, and nobody takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One piece of work that needs attention. Holds ids and kinds of errors, never content."""

    id: str
    """`job-12` or `entry-3`: what `retry` and `skip` are given."""
    kind: WorkKind
    state: WorkState
    tenant: str
    conversation_id: str
    conversation: ConversationId
    number: int | None
    """Of the segment as in its markers, or of the turn; None for a whole conversation or an operation."""
    attempts: int
    error: str | None
    age_seconds: float | None
    """Since it was parked, or should have been done; None when that is not known."""

    @property
    def subject(self) -> str:
        """What it is about, in words."""
        if self.number is None:
            return "an operation" if self.kind is WorkKind.ENTRY else "its newest turns"
        if self.kind is WorkKind.REFINE:
            return f"segments from {self.number}" if self.number > 0 else f"chapter {1 - self.number}"
        return f"{'turn' if self.kind is WorkKind.ENTRY else 'segment'} {self.number}"

    @property
    def row(self) -> int:
        """Number of its row."""
        return int(self.id.partition("-")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which work: what every given part agrees with."""

    tenant: str | None = None
    address: Address | None = None
    ids: frozenset[str] | None = None
    most: int = 10_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A parked inbox entry."""

    turn_id: str
    seq: int | None
    """Of its placeholder; None for an operation."""
    payload: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A placeholder became its turn."""

    due: JobKind | None
    """What is to be done now; None when it is in good hands."""


class ParkedWork(Protocol):
    """The SQL side of `turnfold jobs`. Every method is one transaction."""

    def find(self, selection: Selection) -> list[Work]:
        """Work that needs attention, by conversation; the same order every time."""

    def make_due(self, jobs: Sequence[JobId]) -> list[JobId]:
        """Let parked jobs be done again, and due ones at once; those for which that was done."""

    def entry(self, number: int) -> Entry | None:
        """A parked entry; None when it is no longer parked."""

    def store_entry(self, number: int, turn: StoredTurn) -> Stored | None:
        """Put a turn in the place of its placeholder; None when it is no longer parked."""

    def count_attempt(self, number: int, error: str) -> None:
        """An entry still cannot be stored."""

    def skip(self, works: Sequence[Work]) -> list[Work]:
        """Let parked work be; those of it that were parked."""
