"""Ports of refining: a model, and the values that refine jobs pass between their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from turnfold.contract.records import Anchor, AnchorChange, ConversationId, JobId

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.levels import AcceptedNode
    from turnfold_worker.pipeline.refinement.overtaken import AcceptedOvertaking
    from turnfold_worker.pipeline.refinement.reconstruction import Kept
    from turnfold_worker.pipeline.refinement.sources import ChapterSource, ModelRequest, NodeSource, RefineSource
    from turnfold_worker.pipeline.settings import FoldSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Token usage of one call, as reported by the provider."""

    input_tokens: int
    cached_tokens: int = 0
    """Input tokens that the provider read from its prompt cache."""
    output_tokens: int = 0
    estimated: bool = False
    """True when the provider did not report usage: counted by this worker."""


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    """The reply was cut off at the token limit."""
    REFUSAL = "refusal"
    """The model or a filter declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """The reply of a model. Untrusted input."""

    content: str
    finish: Finish
    used: Used


class LanguageModel(Protocol):
    """A model: a provider, where one call is one HTTP request, or a callable. Implementations do not retry."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Send a request, within a total deadline. Raises `ModelAway`, `ModelWaits`, `ModelRefused`."""

    def close(self) -> None:
        """Close open connections."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The conversation and tenant that a call is made for."""

    conversation: ConversationId
    tenant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """The most that a call may use, reserved from the tenant's caps until it is settled."""

    owner: Owner
    model: str
    tokens: int
    micros: int
    """Millionths of a US dollar."""
    day: int
    """Days since 1970 of the database's clock (UTC)."""


@dataclass(frozen=True, slots=True)
class RefineTarget:
    """The models and prompts to refine with; a change makes new jobs for everything refined otherwise."""

    extract_model: str
    """Writes the notes of segments and finds anchors in them."""
    summarize_model: str
    """Writes the notes of chapters."""
    extract_prompt: str
    summarize_prompt: str
    """Versions of the two prompts."""
    segments: int
    """Segments per job: 1, 2, 4 or 8."""
    idle_seconds: float = 0.0
    """Seconds without another segment after which an incomplete group is refined; 0: never."""

    @property
    def version(self) -> str:
        """Models, prompts and group size as one string."""
        return (
            f"{self.extract_model}/{self.extract_prompt} {self.summarize_model}/{self.summarize_prompt} {self.segments}"
        )


@dataclass(frozen=True, slots=True)
class RefineClaim:
    """A refine job that this worker has leased."""

    job: JobId
    owner: Owner
    subject: int
    """Index of its first segment; below 0 for a chapter."""
    claim: str
    attempts: int

    @property
    def chapter(self) -> int | None:
        """Index of the chapter to refine; None for segments."""
        return chapter_of_subject(self.subject)


def subject_of_chapter(idx: int) -> int:
    """Return the job subject of a chapter, below 0; segments have 0 and above."""
    return -idx - 1


def chapter_of_subject(subject: int) -> int | None:
    """Return the index of a job's chapter; None for a job of segments."""
    return -subject - 1 if subject < 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of closed segments: one committed state of their conversation."""

    source: RefineSource
    settings: FoldSettings
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterGroup:
    """A chapter with its segments' notes: one committed state of their conversation."""

    source: ChapterSource
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """Everything that a refine job writes in one transaction, replacing what an earlier model wrote there.

    None keeps what an earlier model wrote: the call that should have replaced it had no usable reply.
    """

    claim: RefineClaim
    edit_revision: int
    covers: Sequence[NodeSource]
    """The nodes that the job covers."""
    nodes: Sequence[AcceptedNode] | None
    anchors: Sequence[Anchor] | None = None
    changes: Sequence[AnchorChange] = ()
    filler: Sequence[int] = ()
    """Ids of the rules' anchors that no later answer needs."""
    told: Sequence[int] = ()
    """Ids of anchors, of the rules and the model, that the notes already state."""
    overtaken: Sequence[AcceptedOvertaking] = ()
    """Statements that supersede anchors of the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """The remaining record of a node whose turns were removed."""

    owner: Owner
    kept: Kept
    source_hash: bytes
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineCounts:
    """Counts of refine jobs by state."""

    due: int = 0
    running: int = 0
    done: int = 0
    parked: int = 0
    skipped: int = 0
    batched: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    """Errors of jobs that will be retried or are parked -> how many."""

    @property
    def open(self) -> int:
        return self.due + self.running + self.batched
