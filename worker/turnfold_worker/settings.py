"""Settings of a worker: those of the SDK and of models, and how work is claimed, folded and swept."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from turnfold_worker.model_settings import ModelSettings

LOG_FORMATS: Final = ("text", "json")

_MOST_DAYS: Final = 36_500
"""A century; databases have no dates for much longer ago."""
_MOST_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WorkerSettings(ModelSettings):
    """Each field is read from the variable `TURNFOLD_` followed by its name in capitals."""

    lease_seconds: float = 30.0
    """Lease: how long a claimed inbox or job belongs to its worker before another may claim it."""
    claim_conversations: int = 50
    """Inboxes that one drain stores in one transaction."""
    batch_turns: int = 200
    """Turns that one drain reads from one inbox at a time."""
    slice_seconds: float = 2.0
    """Time slice of one task; after it other work gets its turn."""
    sweep_seconds: float = 3.0
    """Interval at which workers look for ready work whose ring was lost."""
    republish_seconds: float = 60.0
    """Seconds after which an unclaimed message expires; also the longest delay after a failure."""
    attempts: int = 3
    """Tries on one segment; the last one writes plain words, parks a refold job and goes on."""
    fold_turns: int = 8
    """Turns of a conversation that are folded together; 1 folds each at once."""
    fold_tokens: int = 2_000
    """Tokens of waiting turns at which they are folded before `fold_turns` is reached."""
    fold_idle_seconds: float = 30.0
    """Seconds without a new turn, at least half as many, after which fewer turns are folded."""
    keep_level0_days: float = 0.0
    """Days after which the text of turns in closed segments is removed; 0 keeps it."""
    keep_search_days: float = 0.0
    """Days without a change after which the search rows of a conversation are dropped; 0 keeps them."""
    drop_idle_levels: bool = False
    """Drop levels 1 and 2 with the search rows; not where text of turns is removed or a model refines."""
    heartbeat_file: str = ""
    """A file that each worker touches every five seconds while it can receive messages; empty: none."""
    log_format: str = "text"
    """Log format: `text`, or `json` with one object per line."""
    otel: bool = False
    """Trace tasks and their steps with OpenTelemetry: needs `turnfold-worker[otel]`, and reads `OTEL_*`."""
    semantic: bool = False
    """Use a sentence model in addition to words: needs `turnfold-worker[semantic]`. Must be equal on all workers."""
    embedding_bfloat16: bool = True
    """Compute vectors in bfloat16: three times as fast where the CPU supports it, slower elsewhere."""

    def __post_init__(self) -> None:
        ModelSettings.__post_init__(self)
        for name in ("lease_seconds", "slice_seconds", "sweep_seconds", "republish_seconds", "fold_idle_seconds"):
            if not 0 < getattr(self, name) <= _MOST_SECONDS:
                self.refuse(name, f"must be above 0 and at most {_MOST_SECONDS}")
        for name in ("claim_conversations", "batch_turns", "attempts", "fold_turns", "fold_tokens"):
            if getattr(self, name) < 1:
                self.refuse(name, "must be at least 1")
        if self.log_format not in LOG_FORMATS:
            self.refuse("log_format", f"must be {' or '.join(LOG_FORMATS)}")
        if self.otel and not _is_installed("opentelemetry.instrumentation.celery"):
            self.refuse("otel", "needs a missing package (pip install 'turnfold-worker[otel]') or must be off")
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
    except ModuleNotFoundError:  # a parent package is missing
        return False
