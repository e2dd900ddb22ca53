"""Work that needs a person's attention, and what models did and cost, as callers get them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId


class WorkKind(StrEnum):
    """Kinds of work that may need attention."""

    REFOLD = "refold"
    """Fold a segment that has fallback text again, by the rules."""
    ENTRY = "entry"
    """Store an inbox entry that was rejected as it was sent."""
    COMPRESS = "compress"
    """Fold a conversation: folding fails, or no worker runs it. Retried automatically."""
    REFINE = "refine"
    """Refine with a model: refining fails for now, or for good. The text of the rules stays in use."""


class WorkState(StrEnum):
    """Reasons why work needs attention."""

    PARKED = "parked"
    """Waiting for a person."""
    FAILING = "failing"
    """Failed at least once; a retry is scheduled."""
    OVERDUE = "overdue"
    """Due, or with an expired lease, and no worker has claimed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One piece of work that needs attention, by ids and error types, without any content."""

    id: str
    """`job-12` or `entry-3`: the argument of `turnfold jobs retry` and `skip`."""
    kind: WorkKind
    state: WorkState
    tenant: str
    conversation_id: str
    conversation: ConversationId = field(repr=False)
    number: int | None
    """Number of the segment as in its markers, or of the turn; None for a whole conversation or an operation."""
    attempts: int
    error: str | None
    age_seconds: float | None
    """Seconds since the work was parked or became due; None if unknown."""

    @property
    def subject(self) -> str:
        """Describe the subject of the work in words."""
        if self.number is None:
            return "an operation" if self.kind is WorkKind.ENTRY else "its newest turns"
        if self.kind is WorkKind.REFINE:
            return f"segments from {self.number}" if self.number > 0 else f"chapter {1 - self.number}"
        return f"{'turn' if self.kind is WorkKind.ENTRY else 'segment'} {self.number}"

    @property
    def row(self) -> int:
        """Primary key of the row."""
        return int(self.id.partition("-")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A filter for work: all conditions that are set must match."""

    tenant: str | None = None
    address: Address | None = None
    ids: frozenset[str] | None = None
    most: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Model usage of a day (UTC), for a tenant or for one of its conversations."""

    day: date
    model: str
    conversation_id: str | None
    """None for the whole tenant, erased conversations included."""
    requests: int
    """Answered calls, each paid for once."""
    failed: int
    repaired: int
    """Replies that were requested a second time."""
    cached_replies: int
    """Requests that a stored reply answered, at no cost."""
    input_tokens: int
    cached_tokens: int
    """Input tokens that the provider served from its prompt cache."""
    output_tokens: int
    estimated: int
    """Calls whose tokens were estimated, because the provider did not report them."""
    cost_micros: int
    """Millionths of a US dollar; 0 for a model without a price."""
    quotes_kept: int
    quotes_refused: int
    notes_kept: int
    notes_refused: int
    skipped: int
    """Groups of segments, and chapters, that could not be improved."""
