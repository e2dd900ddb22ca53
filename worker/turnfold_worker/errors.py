"""What can go wrong in a worker.

WorkerError
├── Retryable         trying again later may help: the job table or the next bell does it
│   ├── StoreAway     SQL or Redis did not answer: nobody can be served
│   ├── Stalled       SQL gave up on one statement: others may go through
│   ├── NewerRules    a conversation is left to workers of a newer version
│   ├── ModelAway     a model could not be loaded, did not answer, or not in a way that can be read
│   └── ModelWaits    no call may be made now: a limit, a cap, an open circuit; says for how long
└── Permanent         trying again will not help: the work is parked with this error
    ├── Refused       SQL will never take these values
    ├── BadMessage    a message asks for what there cannot be
    └── ModelRefused  the provider will never take this request

As the SDK's, each has a `problem` and a `remedy`.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from turnfold.contract.explained_errors import ExplainedError
from turnfold.errors import UnknownConversation

DIED: Final = "the worker ended while folding"
"""Noted of a segment whose worker could note nothing itself."""


class WorkerError(ExplainedError):
    """Base of every error that a worker raises on purpose."""


class Retryable(WorkerError):  # noqa: N818 - says what to do about it
    """Trying again later may help."""

    remedy = "wait: it is tried again by itself"


class StoreAway(Retryable):
    """SQL or Redis did not answer. Nothing is lost: what was claimed becomes claimable again."""

    remedy = "check that Redis and the database run and can be reached"


class Stalled(Retryable):
    """SQL gave up on one statement: a lock, too long, too much memory. One for another conversation may go through."""

    remedy = "wait: it is tried again by itself; look for long transactions of others if it goes on"


class NewerRules(Retryable):
    """A conversation was folded by newer rules than this worker has: workers of that version go on with it."""

    remedy = "wait: a worker of the newer version folds it; upgrade this one"


class ModelAway(Retryable):
    """A model could not be loaded, did not answer, or not in a way that can be read: kinds and codes, never words."""

    remedy = "check the model's server, and the settings that name it"

    def __init__(self, problem: str, *, remedy: str = "", retry_after_seconds: float | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.retry_after_seconds = retry_after_seconds
        """What the provider asked for."""


class ModelWaits(Retryable):
    """No call may be made now; that is no failure of the work that asked for it."""

    remedy = "wait, or raise the limit that the message names"

    def __init__(self, problem: str, *, remedy: str = "", seconds: float) -> None:
        super().__init__(problem, remedy=remedy)
        self.seconds = seconds
        """When to ask again."""


class Permanent(WorkerError):  # noqa: N818
    """Trying again will not help."""

    remedy = "see `turnfold jobs list`, and retry or skip the work when its cause is gone"


class Refused(Permanent):
    """SQL will never take these values."""

    remedy = "skip its job: what it asks for cannot be stored"


class BadMessage(Permanent):
    """A message asks for what there cannot be: none of ours does. It is dropped, and what is due is done anyway."""

    remedy = "send tasks by `turnfold` and its workers alone, in the same version"


class ModelRefused(Permanent):
    """The provider will never take this request: it is too long, or the server does not know what it asks for."""

    remedy = "check that the model's name and context length fit, then `turnfold jobs retry`"


def not_stored(tenant: str, conversation_id: str) -> UnknownConversation:
    """The error of a command for a conversation that has no rows."""
    return UnknownConversation(
        f"conversation {conversation_id!r} of tenant {tenant!r} is not stored",
        remedy="check its id and the tenant (TURNFOLD_TENANT)",
    )


def where(error: BaseException) -> str:
    """Kind and place of an error, for logs and job rows: never its message, which may hold content."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
