"""Errors of a worker, by what to do about them.

WorkerError
├── Retryable         a later try may succeed: the job table or the next ring starts one
│   ├── StoreAway     SQL or Redis did not answer: no conversation can be served
│   ├── Stalled       SQL gave up on one statement: other statements may succeed
│   ├── NewerRules    the conversation is left to workers of a newer version
│   ├── ModelAway     a model could not be loaded, did not answer, or answered unreadably
│   └── ModelWaits    no call may be made now (a limit, a cap, an open circuit); says for how long
└── Permanent         trying again cannot help: the work is parked with this error
    ├── Refused       SQL will never take these values
    ├── BadMessage    a message asks for something impossible
    └── ModelRefused  the provider will never take this request

Each has a `problem` and a `remedy`, as the errors of the SDK have.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from turnfold.contract.explained_errors import ExplainedError
from turnfold.errors import UnknownConversation

DIED: Final = "the worker ended while folding"
"""Recorded for a segment whose worker died before it could record an error."""


class WorkerError(ExplainedError):
    """Base of every error that a worker raises on purpose."""


class Retryable(WorkerError):  # noqa: N818 - says what to do about it
    """A later try may succeed."""

    remedy = "wait: it is retried automatically"


class StoreAway(Retryable):
    """SQL or Redis did not answer. Nothing is lost: claims lapse and can be taken again."""

    remedy = "check that Redis and the database are running and reachable"


class Stalled(Retryable):
    """SQL gave up on one statement (lock, timeout, memory); statements for other conversations may succeed."""

    remedy = "wait: it is retried automatically; if it keeps failing, look for long-running transactions"


class NewerRules(Retryable):
    """A conversation was folded by newer rules than this worker has; workers of that version continue with it."""

    remedy = "upgrade this worker; until then a worker of the newer version folds it"


class ModelAway(Retryable):
    """A model could not be loaded, did not answer, or answered unreadably. Messages have kinds and codes only."""

    remedy = "check the model's server and the settings that point to it"

    def __init__(self, problem: str, *, remedy: str = "", retry_after_seconds: float | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.retry_after_seconds = retry_after_seconds
        """The delay that the provider asked for."""


class ModelWaits(Retryable):
    """No call may be made now; does not count as a failure of the work that asked for it."""

    remedy = "wait, or raise the limit named in the message"

    def __init__(self, problem: str, *, remedy: str = "", seconds: float) -> None:
        super().__init__(problem, remedy=remedy)
        self.seconds = seconds
        """Seconds until the call may be tried again."""


class Permanent(WorkerError):  # noqa: N818
    """Trying again cannot help."""

    remedy = "see `turnfold jobs list`, fix the cause, then retry or skip the work"


class Refused(Permanent):
    """SQL will never take these values."""

    remedy = "skip its job: its values cannot be stored"


class BadMessage(Permanent):
    """A message asks for something impossible, as none of ours does. The message is dropped; due work is still done."""

    remedy = "send tasks only from `turnfold` and its workers, in the same version"


class ModelRefused(Permanent):
    """The provider will never take this request: it is too long, or the server does not know what it asks for."""

    remedy = "check the model's name and context length, then run `turnfold jobs retry`"


def not_stored(tenant: str, conversation_id: str) -> UnknownConversation:
    """Return the error of a command for a conversation that has no rows."""
    return UnknownConversation(
        f"conversation {conversation_id!r} of tenant {tenant!r} is not stored",
        remedy="check its id and the tenant (TURNFOLD_TENANT)",
    )


def where(error: BaseException) -> str:
    """Return kind and place of an error for logs and job rows; never its message, which may hold content."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
