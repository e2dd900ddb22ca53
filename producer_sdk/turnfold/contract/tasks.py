"""Celery task names, queues, and operations of inbox entries. Payloads contain ids only."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Task(StrEnum):
    """Names of Celery tasks, as shown in Flower."""

    DRAIN = "turnfold.drain"
    """(shard, …): drain the inboxes of some shards into SQL."""
    COMPRESS = "turnfold.compress"
    """(), or (conversation id) from a caller that waits for it: fold due conversations, tenant by tenant."""
    REFOLD = "turnfold.refold"
    """(): fold a due closed segment again, by the rules."""
    REFINE = "turnfold.refine"
    """(): have models refine a few of the closed segments that are due."""
    RECONSTRUCT = "turnfold.reconstruct"
    """(conversation id, height, index): have a model reconstruct turns that retention removed."""
    SWEEP = "turnfold.sweep"
    """(): ring for everything that is ready or due without a ring."""
    EXPIRE = "turnfold.expire"
    """(): remove the words of turns past their retention."""
    ERASE = "turnfold.erase"
    """(shard): delete the rows of forgotten conversations."""


class Queue(StrEnum):
    """Celery queues, by cost of their tasks."""

    INGEST = "turnfold.ingest"
    COMPRESS = "turnfold.compress"
    REFINE = "turnfold.refine"
    MAINTENANCE = "turnfold.maintenance"


QUEUE_OF: Final[dict[Task, Queue]] = {
    Task.DRAIN: Queue.INGEST,
    Task.COMPRESS: Queue.COMPRESS,
    Task.REFOLD: Queue.COMPRESS,
    Task.REFINE: Queue.REFINE,
    Task.RECONSTRUCT: Queue.REFINE,
    Task.SWEEP: Queue.MAINTENANCE,
    Task.EXPIRE: Queue.MAINTENANCE,
    Task.ERASE: Queue.MAINTENANCE,
}


_SUBJECT_OF: Final[dict[Task, str]] = {
    Task.DRAIN: "shard", Task.COMPRESS: "conversation", Task.RECONSTRUCT: "node", Task.ERASE: "shard",
}  # fmt: skip


def shown(task: Task, *arguments: int) -> str:
    """Format a task's arguments for Flower and events: `shard 3`, `shards 3, 5`, `node 12/0/7`, `what is due`."""
    if task is Task.DRAIN and len(arguments) > 1:
        return f"shards {', '.join(map(str, arguments))}"
    return f"{_SUBJECT_OF[task]} {'/'.join(map(str, arguments))}" if arguments else "what is due"


class Operation(StrEnum):
    """Operations of inbox entries. All were reserved in the first version, so that order is always kept."""

    APPEND = "append"
    CONFIGURE = "configure"
    EDIT = "edit"
    DELETE = "delete"
    REWIND = "rewind"
    RESOLVE = "resolve"
    """Settle an anchor by hand: `{"anchor": id, "state": "resolved" or "dismissed"}`."""


CHANGES: Final = frozenset({Operation.EDIT, Operation.DELETE, Operation.REWIND})
"""Operations that change turns appended earlier."""


class JobKind(StrEnum):
    """Kinds of rows in the `job` table."""

    COMPRESS = "compress"
    """Fold the stored turns; one job per conversation."""
    REFOLD = "refold"
    """Fold a segment again; one job per segment with fallback text, or with a turn that became readable later."""
    REFINE = "refine"
    """Refine segments with a model; one job per group of closed segments, models and prompts."""


TASK_OF: Final[dict[JobKind, Task]] = {
    JobKind.COMPRESS: Task.COMPRESS, JobKind.REFOLD: Task.REFOLD, JobKind.REFINE: Task.REFINE,
}  # fmt: skip
"""The task that executes the jobs of a kind."""


class JobState(StrEnum):
    """The state of a job."""

    LATER = "later"
    """Not due yet, until its time comes or more turns arrive; no task was requested."""
    DUE = "due"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"
    """Out of retries, waiting for a person: `turnfold jobs`."""
    SKIPPED = "skipped"
    """Skipped by a person, or without a possible improvement; the row remains as a record."""
    BATCHED = "batched"
    """Waiting for a provider's batch."""


class EntryState(StrEnum):
    """The state of a parked inbox entry."""

    PARKED = "parked"
    """Waiting for a person: `turnfold jobs`."""
    STORED = "stored"
    """Stored in its place after a successful retry."""
    SKIPPED = "skipped"
    """Skipped by a person; the placeholder remains."""


ENTRY_VERSION: Final = "1"
"""Format version of an inbox entry: fields `v`, `op`, `id` and `d` (JSON)."""
