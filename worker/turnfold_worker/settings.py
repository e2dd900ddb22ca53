"""Settings of a worker: the SDK's, and the models', and how work is claimed, folded and swept."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from turnfold_worker.model_settings import ModelSettings

LOG_FORMATS: Final = ("text", "json")

_MOST_DAYS: Final = 36_500
"""A century: longer ago than that no database has a date for."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WorkerSettings(ModelSettings):
    """The variable of a field is `TURNFOLD_` and its name in capitals."""

    lease_seconds: float = 30.0
    """How long a claimed inbox or job is left to its worker before another may take it."""
    claim_conversations: int = 50
    """Inboxes that one drain stores in one transaction."""
    batch_turns: int = 200
    """Turns that one drain reads from one inbox at a time."""
    slice_seconds: float = 2.0
    """How long one task works before it lets others have its place."""
    sweep_seconds: float = 3.0
    """How often somebody looks for work that nobody was told of."""
    republish_seconds: float = 60.0
    """After which a message that nobody took is dropped; nothing that failed is put off for longer."""
    attempts: int = 3
    """Tries on one segment; the last one writes plain words, parks a refold job and goes on."""
    fold_turns: int = 8
    """Turns of a conversation that wait until they are folded together; 1 folds each at once."""
    fold_tokens: int = 2_000
    """Tokens of fewer turns that are folded without waiting for more."""
    fold_idle_seconds: float = 30.0
    """After which fewer turns are folded, or half of it, when no more of their conversation have come."""
    keep_level0_days: float = 0.0
    """Days after which the words of turns in closed segments are removed; 0 keeps them."""
    keep_search_days: float = 0.0
    """Days without a turn or a query after which search rows of a conversation are dropped; 0 keeps them."""
    drop_idle_levels: bool = False
    """Drop levels 1 and 2 with those search rows: not where words of turns are removed, or a model refines."""
    heartbeat_file: str = ""
    """A file that each worker touches every five seconds while it can take messages; empty: none."""
    log_format: str = "text"
    """How a worker writes its log: `text`, or `json`, an object a line."""
    otel: bool = False
    """Trace tasks and what they do by OpenTelemetry: needs `turnfold-worker[otel]`, and reads `OTEL_*`."""
    semantic: bool = False
    """Use a sentence model beside the words: needs `turnfold-worker[semantic]`. The same on every worker."""
    embedding_bfloat16: bool = True
    """Compute vectors in bfloat16: three times as fast where the processor has it, slower where it has not."""

    def __post_init__(self) -> None:
        ModelSettings.__post_init__(self)
        for name in ("lease_seconds", "slice_seconds", "sweep_seconds", "republish_seconds", "fold_idle_seconds"):
            if getattr(self, name) <= 0:
                self.refuse(name, "must be above 0")
        for name in ("claim_conversations", "batch_turns", "attempts", "fold_turns", "fold_tokens"):
            if getattr(self, name) < 1:
                self.refuse(name, "must be at least 1")
        if self.log_format not in LOG_FORMATS:
            self.refuse("log_format", f"must be {' or '.join(LOG_FORMATS)}")
        if self.otel and not _is_installed("opentelemetry.instrumentation.celery"):
            self.refuse("otel", "needs what is not installed here: pip install 'turnfold-worker[otel]'; or must be off")
        for name in ("keep_level0_days", "keep_search_days"):
            if not 0 <= getattr(self, name) <= _MOST_DAYS:
                self.refuse(name, f"must be 0 to {_MOST_DAYS}")
        if self.drop_idle_levels and not (self.keep_search_days and not self.keep_level0_days and not self.refines):
            self.refuse(
                "drop_idle_levels",
                "must be off without TURNFOLD_KEEP_SEARCH_DAYS, with TURNFOLD_KEEP_LEVEL0_DAYS or a model",
            )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it
        return False
