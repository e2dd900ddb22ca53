"""Celery task names, queues, and the operations that an inbox entry may hold. Payloads carry ids only."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Task(StrEnum):
    """Names under which workers register their tasks; shown in Flower."""

    DRAIN = "turnfold.drain"
    """(shard): store what is ready in the shard's inboxes."""
    COMPRESS = "turnfold.compress"
    """(conversation id): fold what is stored and not folded."""
    SWEEP = "turnfold.sweep"
    """(): ring for what is ready or due and was not rung for."""
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
    Task.SWEEP: Queue.MAINTENANCE,
    Task.ERASE: Queue.MAINTENANCE,
}


_SUBJECT_OF: Final[dict[Task, str]] = {Task.DRAIN: "shard", Task.COMPRESS: "conversation", Task.ERASE: "shard"}


def shown(task: Task, argument: int) -> str:
    """A task's argument as Flower and events show it: `shard 3`, `conversation 12`."""
    return f"{_SUBJECT_OF[task]} {argument}"


class Operation(StrEnum):
    """What an inbox entry asks for. All are reserved from the first version, so that order is always kept."""

    APPEND = "append"
    CONFIGURE = "configure"
    EDIT = "edit"
    DELETE = "delete"
    REWIND = "rewind"


class JobKind(StrEnum):
    """Kinds of rows in the `job` table."""

    COMPRESS = "compress"
    """One per conversation: fold what is stored."""
    REFOLD = "refold"
    """One per segment that three attempts could not fold by the rules: it has plain words and waits for a person."""


class JobState(StrEnum):
    """Where a job stands."""

    DUE = "due"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"


ENTRY_VERSION: Final = "1"
"""Form of an inbox entry: fields `v`, `op`, `id` and `d` (JSON)."""
