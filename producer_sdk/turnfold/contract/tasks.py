"""Celery task names, queues, and the operations that an inbox entry may hold. Payloads carry ids only."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Task(StrEnum):
    """Names under which workers register their tasks; shown in Flower."""

    DRAIN = "turnfold.drain"
    """(shard, …): store what is ready in the inboxes of some shards."""
    COMPRESS = "turnfold.compress"
    """(), or (conversation id) from who waits for it: fold some of what is due, tenant by tenant."""
    REFOLD = "turnfold.refold"
    """(): fold a closed segment again, by the rules, of those that are due."""
    REFINE = "turnfold.refine"
    """(): ask models for better words for a few closed segments of those that are due."""
    RECONSTRUCT = "turnfold.reconstruct"
    """(conversation id, height, index): ask a model for words in the place of turns that retention removed."""
    SWEEP = "turnfold.sweep"
    """(): ring for what is ready or due and was not rung for."""
    EXPIRE = "turnfold.expire"
    """(): remove the words of turns that are older than they are to be kept."""
    ERASE = "turnfold.erase"
    """(shard): delete the rows of forgotten conversations."""


class Queue(StrEnum):
    """Queues by cost."""

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
    """A task's arguments as Flower and events show them: `shard 3`, `shards 3, 5`, `node 12/0/7`, `what is due`."""
    if task is Task.DRAIN and len(arguments) > 1:
        return f"shards {', '.join(map(str, arguments))}"
    return f"{_SUBJECT_OF[task]} {'/'.join(map(str, arguments))}" if arguments else "what is due"


class Operation(StrEnum):
    """What an inbox entry asks for. All are reserved from the first version, so that order is always kept."""

    APPEND = "append"
    CONFIGURE = "configure"
    EDIT = "edit"
    DELETE = "delete"
    REWIND = "rewind"
    RESOLVE = "resolve"
    """Settle an anchor by hand: `{"anchor": id, "state": "resolved" or "dismissed"}`."""


CHANGES: Final = frozenset({Operation.EDIT, Operation.DELETE, Operation.REWIND})
"""Operations on turns that were appended before."""


class JobKind(StrEnum):
    """Kinds of rows in the `job` table."""

    COMPRESS = "compress"
    """One per conversation: fold what is stored."""
    REFOLD = "refold"
    """One per segment that is to be folded again: it got plain words, or a turn of it became readable later."""
    REFINE = "refine"
    """One per group of closed segments, models and prompts: a model may find better words for them."""


TASK_OF: Final[dict[JobKind, Task]] = {
    JobKind.COMPRESS: Task.COMPRESS, JobKind.REFOLD: Task.REFOLD, JobKind.REFINE: Task.REFINE,
}  # fmt: skip
"""Which task does the jobs of a kind."""


class JobState(StrEnum):
    """Where a job stands."""

    LATER = "later"
    """It is due when its time comes, or with more to do: nobody was told of it."""
    DUE = "due"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"
    """It failed as often as it may, and waits for a person: `turnfold jobs`."""
    SKIPPED = "skipped"
    """A person let it be, or nothing could be won; the row stays as a record."""
    BATCHED = "batched"
    """Its questions are in a provider's batch."""


class EntryState(StrEnum):
    """Where a parked inbox entry stands."""

    PARKED = "parked"
    """It waits for a person: `turnfold jobs`."""
    STORED = "stored"
    """It was read after all, and stands at its place."""
    SKIPPED = "skipped"
    """A person let it be: the placeholder stays."""


ENTRY_VERSION: Final = "1"
"""Form of an inbox entry: fields `v`, `op`, `id` and `d` (JSON)."""
