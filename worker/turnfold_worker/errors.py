"""What can go wrong in a worker.

WorkerError
├── Retryable         trying again later may help: the job table or the next bell does it
│   ├── StoreAway     SQL or Redis did not answer: nobody can be served
│   ├── Stalled       SQL gave up on one statement: others may go through
│   └── ModelAway     the sentence model could not be loaded
└── Permanent         trying again will not help: the work is parked with this error
    └── Refused       SQL will never take these values
"""

from __future__ import annotations

import traceback
from pathlib import Path


class WorkerError(Exception):
    """Base of every error that a worker raises on purpose."""


class Retryable(WorkerError):  # noqa: N818 - says what to do about it
    """Trying again later may help."""


class StoreAway(Retryable):
    """SQL or Redis did not answer. Nothing is lost: what was claimed becomes claimable again."""


class Stalled(Retryable):
    """SQL gave up on one statement: a lock, too long, too much memory. One for another conversation may go through."""


class ModelAway(Retryable):
    """The sentence model could not be loaded. What it is for waits, because without it the outcome would be another."""


class Permanent(WorkerError):  # noqa: N818
    """Trying again will not help."""


class Refused(Permanent):
    """SQL will never take these values."""


def where(error: BaseException) -> str:
    """Kind and place of an error, for logs and job rows: never its message, which may hold content."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
