"""What refining needs of the outside world: a model, limits that all workers share, and what SQL remembers of calls."""

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
    """What one call used, as the provider says."""

    input_tokens: int
    cached_tokens: int = 0
    """Of the input tokens, those that the provider had in its prompt cache."""
    output_tokens: int = 0
    estimated: bool = False
    """The provider did not say: counted here."""


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    """It was cut at the most tokens."""
    REFUSAL = "refusal"
    """The model or a filter declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a model said. Untrusted."""

    content: str
    finish: Finish
    used: Used


class LanguageModel(Protocol):
    """Who answers: a provider, of which one call is one HTTP request, or a callable. Retries are not its business."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Ask, within a total deadline. Raises `ModelAway`, `ModelWaits`, `ModelRefused`."""

    def close(self) -> None:
        """Close what it holds open."""


class Limiter(Protocol):
    """Limits and the circuit of each model, shared by all workers."""

    def reserve(self, model: str, tokens: int) -> float:
        """Take a request and its tokens; 0.0, or the seconds until there may be room (nothing is taken then)."""

    def settle(self, model: str, *, reserved: int, used: int) -> None:
        """Correct what was taken."""

    def pause(self, model: str, seconds: float) -> None:
        """The provider wants no calls for a while."""

    def admit(self, model: str) -> float:
        """0.0 when the circuit lets a call through, else the seconds until it may."""

    def record_success(self, model: str) -> None:
        """Close the circuit."""

    def record_failure(self, model: str) -> bool:
        """Count a failed call; True when that opened the circuit."""

    def open_circuit(self, model: str, seconds: float) -> None:
        """Make no calls for a while: the account or its settings do not allow any."""


@dataclass(frozen=True, slots=True)
class Owner:
    """For whom a call is made."""

    conversation: ConversationId
    tenant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What a call may use at most, taken from the tenant's caps until it is settled."""

    owner: Owner
    model: str
    tokens: int
    micros: int
    """Millionths of a US dollar."""
    day: int
    """Days since 1970 of the database's clock (UTC)."""


@dataclass(frozen=True, slots=True)
class RefineTarget:
    """What words are to be made with; a change makes new jobs for all that was made otherwise."""

    extract_model: str
    """Writes the notes of segments, and finds anchors in them."""
    summarize_model: str
    """Writes the notes of chapters."""
    extract_prompt: str
    summarize_prompt: str
    """Versions of prompts."""
    segments: int
    """Segments of a job: 1, 2, 4 or 8."""
    idle_seconds: float = 0.0
    """After how long without another segment fewer of them are refined; 0: never."""

    @property
    def version(self) -> str:
        """All of it as one text."""
        return (
            f"{self.extract_model}/{self.extract_prompt} {self.summarize_model}/{self.summarize_prompt} {self.segments}"
        )


@dataclass(frozen=True, slots=True)
class RefineClaim:
    """A refine job that is ours until its lease ends."""

    job: JobId
    owner: Owner
    subject: int
    """First of its segments; below 0 for a chapter."""
    claim: str
    attempts: int

    @property
    def chapter(self) -> int | None:
        """Position of the chapter that it is about; None for segments."""
        return chapter_of_subject(self.subject)


def subject_of_chapter(idx: int) -> int:
    """What the job of a chapter has for its subject: segments have 0 and more."""
    return -idx - 1


def chapter_of_subject(subject: int) -> int | None:
    """Position of a job's chapter; None for a job of segments."""
    return -subject - 1 if subject < 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of closed segments: one committed state of their conversation."""

    source: RefineSource
    settings: FoldSettings
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterGroup:
    """A chapter with what its segments became: one committed state of their conversation."""

    source: ChapterSource
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """Everything that a refine job writes, in one transaction. It replaces what an earlier model wrote there.

    None leaves what an earlier model wrote: the call that should have replaced it brought nothing.
    """

    claim: RefineClaim
    edit_revision: int
    covers: Sequence[NodeSource]
    """The nodes that the job is about."""
    nodes: Sequence[AcceptedNode] | None
    anchors: Sequence[Anchor] | None = None
    changes: Sequence[AnchorChange] = ()
    filler: Sequence[int] = ()
    """Ids of the rules' anchors that no later answer needs."""
    told: Sequence[int] = ()
    """Ids of anchors, the rules' and the model's, that the notes tell."""
    overtaken: Sequence[AcceptedOvertaking] = ()
    """Words that took the place of the rules' anchors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """What is kept of a node whose turns were removed."""

    owner: Owner
    kept: Kept
    source_hash: bytes
    edit_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineCounts:
    """Where the refine jobs of some conversations stand."""

    due: int = 0
    running: int = 0
    done: int = 0
    parked: int = 0
    skipped: int = 0
    batched: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    """Errors of jobs that will be tried again or are parked -> how many."""

    @property
    def open(self) -> int:
        return self.due + self.running + self.batched
