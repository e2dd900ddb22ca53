"""Work that needs a person's attention, and what models did and cost, as callers get them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId


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
    """`job-12` or `entry-3`: what `turnfold jobs retry` and `skip` are given."""
    kind: WorkKind
    state: WorkState
    tenant: str
    conversation_id: str
    conversation: ConversationId = field(repr=False)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What models did on a day (UTC), for a tenant or for one of its conversations."""

    day: date
    model: str
    conversation_id: str | None
    """None: the whole tenant, erased conversations included."""
    requests: int
    """Calls that were answered, each paid once."""
    failed: int
    repaired: int
    """Replies that were asked for once more."""
    cached_replies: int
    """Questions that were answered before, and cost nothing."""
    input_tokens: int
    cached_tokens: int
    """Of the input tokens, those that the provider had in its prompt cache."""
    output_tokens: int
    estimated: int
    """Calls whose tokens are counted here, because the provider did not say."""
    cost_micros: int
    """Millionths of a US dollar; 0 for a model without a price."""
    quotes_kept: int
    quotes_refused: int
    notes_kept: int
    notes_refused: int
    skipped: int
    """Groups of segments, and chapters, in which nothing could be won."""
