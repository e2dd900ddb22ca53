"""Work that waits for a person, and the port behind which it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from turnfold.contract.attention import Selection, Work
from turnfold.contract.records import JobId, StoredTurn
from turnfold.contract.tasks import JobKind


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
