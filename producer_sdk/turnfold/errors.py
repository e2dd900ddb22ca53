"""The errors of the SDK.

TurnfoldError
├── InvalidInput (also a ValueError): the call itself is wrong; retrying will not help
│   ├── InvalidTurn          a turn that cannot be stored
│   ├── InvalidIdentifier    a tenant, conversation or turn id that cannot be used
│   ├── InvalidBudget        a budget too small for the fixed parts; `needed_tokens` is the least that works
│   └── InvalidSettings      an invalid environment variable or argument
├── UnknownConversation      (also a LookupError) no turn was ever appended under this id, or it was forgotten
├── UnknownMarker            (also a LookupError) a marker that does not exist; `suggestion` is the nearest one
├── UnknownReference         (also a LookupError) a reference that has expired or never existed
├── UnknownAnchor            (also a LookupError) an anchor that the conversation does not have
├── UnknownTurn              (also a LookupError) a turn that never existed, was deleted or was cut off by a rewind
├── InboxFull                the workers are far behind; back off, then append `error.turns` again
├── QuotaExceeded            the tenant's quota is used up; append `error.turns` after `retry_after_seconds`
├── Unavailable              Redis or SQL did not answer in time; safe to retry, an append with `error.turns`
├── SchemaMismatch           the database was not migrated for this version
└── WaitTimeout              (also a TimeoutError) `wait` timed out; `status` is the last status

`str(error)` is the whole message: `error.problem`, what is wrong, and `error.remedy`, what to do about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.contract.explained_errors import ExplainedError

if TYPE_CHECKING:
    from turnfold.contract.results import Status
    from turnfold.wire.encode import TurnInput


class TurnfoldError(ExplainedError):
    """Base class of every error that the SDK raises on purpose."""


class InvalidInput(TurnfoldError, ValueError):  # noqa: N818 - the field says InvalidX, not InvalidXError
    """The call itself is wrong; retrying will not help."""

    remedy = "correct the call as the message says"


class InvalidTurn(InvalidInput):
    """A turn cannot be stored; the message names the field and the remedy."""

    remedy = "correct the turn as the message says, and append it again"


class InvalidIdentifier(InvalidInput):
    """A tenant, conversation or turn id is empty, too long or contains control characters."""

    remedy = "use an id that is valid Unicode text, without control characters and not too long"


class InvalidBudget(InvalidInput):
    """The budget is too small for the parts that every context contains; `needed_tokens` is the least that works."""

    remedy = "give a budget of at least `needed_tokens`, or shorten the parts that are always shown"

    def __init__(self, problem: str, *, remedy: str = "", needed_tokens: int) -> None:
        super().__init__(problem, remedy=remedy)
        self.needed_tokens = needed_tokens


class InvalidSettings(InvalidInput):
    """A setting has an invalid value; the message names the variable."""

    remedy = "correct the setting named in the message"


class UnknownConversation(TurnfoldError, LookupError):  # noqa: N818
    """No turn was ever appended to this conversation, or it was forgotten."""

    remedy = "check the conversation's id and the tenant, or append a turn first"


class UnknownMarker(TurnfoldError, LookupError):  # noqa: N818
    """A marker is malformed, names a node that does not exist, or has a number and words of different nodes."""

    remedy = "copy a marker from a context of this conversation"

    def __init__(self, problem: str, *, remedy: str = "", suggestion: str | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.suggestion = suggestion
        """The nearest existing marker, or None; the message names it too."""


class UnknownReference(TurnfoldError, LookupError):  # noqa: N818
    """A reference has expired, or never existed for this tenant."""

    remedy = "make the context again"


class UnknownAnchor(TurnfoldError, LookupError):  # noqa: N818
    """The conversation has no anchor with this id: `anchors(conversation_id, states=None)` lists them.

    A `provisional` anchor, of the open tail, gets its permanent id when its segment closes.
    """

    remedy = "list the conversation's anchors in every state to get their numbers"


class UnknownTurn(TurnfoldError, LookupError):  # noqa: N818
    """The conversation has no turn with this id: it was never appended, was deleted, or a rewind cut it off."""

    remedy = "take the id from the receipt of its append, or from a list of the conversation's turns"


class InboxFull(TurnfoldError):  # noqa: N818
    """The conversation's inbox is full until a worker has stored some of its turns. Retrying is safe."""

    remedy = "check that workers run, and append `turns` again later"

    turns: tuple[TurnInput, ...] = ()
    """The turns of the `append` with their ids: appending these again is idempotent."""
    rings: bool = False
    """Whether some of the turns were added, so that a worker has to be woken."""


class QuotaExceeded(TurnfoldError):  # noqa: N818
    """The tenant has used up its quota of the day or of storage. Nothing was appended."""

    remedy = "append `turns` again after `retry_after_seconds`, or raise the tenant's quota"

    turns: tuple[TurnInput, ...] = ()
    """The turns of the `append` with their ids: appending these again is idempotent."""

    def __init__(self, problem: str, *, remedy: str = "", retry_after_seconds: int) -> None:
        super().__init__(problem, remedy=remedy)
        self.retry_after_seconds = retry_after_seconds
        """Seconds until the next day (UTC) begins, or until workers measure the tenant's storage again."""


class Unavailable(TurnfoldError):  # noqa: N818
    """Redis or SQL did not answer within the timeout. Retrying is safe: every turn has an id."""

    remedy = "check that Redis and the database are running and reachable, then retry"

    turns: tuple[TurnInput, ...] = ()
    """After a failed `append`, its turns with their ids: appending these again is idempotent."""
    rings: bool = False
    """As in `InboxFull`."""


class SchemaMismatch(TurnfoldError):  # noqa: N818
    """The database has a schema that this version cannot read."""

    remedy = "run `turnfold migrate`"


class WaitTimeout(TurnfoldError, TimeoutError):  # noqa: N818
    """`wait` timed out before the conversation was folded; `status` is its last status."""

    remedy = "check that workers run: see `turnfold doctor`"

    def __init__(self, problem: str, *, remedy: str = "", status: Status) -> None:
        super().__init__(problem, remedy=remedy)
        self.status = status
