"""What can go wrong in a worker.

WorkerError
├── Retryable         trying again later may help: the job table or the next bell does it
│   ├── StoreAway     SQL or Redis did not answer: nobody can be served
│   ├── Stalled       SQL gave up on one statement: others may go through
│   ├── ModelAway     a model could not be loaded, did not answer, or not in a way that can be read
│   └── ModelWaits    no call may be made now: a limit, a cap, an open circuit; says for how long
└── Permanent         trying again will not help: the work is parked with this error
    ├── Refused       SQL will never take these values
    ├── BadMessage    a message asks for what there cannot be
    └── ModelRefused  the provider will never take this request
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

DIED: Final = "the worker ended while folding"
"""Noted of a segment whose worker could note nothing itself."""


class WorkerError(Exception):
    """Base of every error that a worker raises on purpose."""


class Retryable(WorkerError):  # noqa: N818 - says what to do about it
    """Trying again later may help."""


class StoreAway(Retryable):
    """SQL or Redis did not answer. Nothing is lost: what was claimed becomes claimable again."""


class Stalled(Retryable):
    """SQL gave up on one statement: a lock, too long, too much memory. One for another conversation may go through."""


class ModelAway(Retryable):
    """A model could not be loaded, did not answer, or not in a way that can be read: kinds and codes, never words."""

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        """What the provider asked for."""


class ModelWaits(Retryable):
    """No call may be made now; that is no failure of the work that asked for it."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds
        """When to ask again."""


class Permanent(WorkerError):  # noqa: N818
    """Trying again will not help."""


class Refused(Permanent):
    """SQL will never take these values."""


class BadMessage(Permanent):
    """A message asks for what there cannot be: none of ours does. It is dropped, and what is due is done anyway."""


class ModelRefused(Permanent):
    """The provider will never take this request: it is too long, or the server does not know what it asks for."""


def where(error: BaseException) -> str:
    """Kind and place of an error, for logs and job rows: never its message, which may hold content."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
