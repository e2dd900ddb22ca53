"""What can go wrong, for the person who calls the SDK.

TurnfoldError
├── InvalidInput (also a ValueError): the call itself is wrong; repeating it will not help
│   ├── InvalidTurn          a turn that cannot be stored
│   ├── InvalidIdentifier    a tenant, conversation or turn id that cannot be used
│   ├── InvalidBudget        a budget that cannot hold the fixed parts; says how much is needed
│   └── InvalidSettings      an environment variable or argument that makes no sense
├── UnknownConversation      (also a LookupError) nothing was ever appended under this id
├── UnknownMarker            (also a LookupError) a marker that we did not make; `suggestion` names the nearest one
├── UnknownReference         (also a LookupError) a reference of a context that has ended, or that we did not make
├── UnknownAnchor            (also a LookupError) an anchor that the conversation does not have
├── UnknownTurn              (also a LookupError) a turn that the conversation does not have, or has no more
├── InboxFull                the workers are far behind; back off and append its `turns` again
├── QuotaExceeded            the tenant appended or stores as much as it may; `retry_after_seconds`, and its `turns`
├── Unavailable              Redis or SQL did not answer in time; safe to repeat, an append with its `turns`
├── SchemaMismatch           the database was not migrated for this version
└── WaitTimeout              (also a TimeoutError) `wait` gave up; carries the last status

`str(error)` is a whole sentence. `error.problem` is its first half, what is wrong; `error.remedy` says what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.contract.explained_errors import ExplainedError

if TYPE_CHECKING:
    from turnfold.contract.results import Status
    from turnfold.wire.encode import TurnInput


class TurnfoldError(ExplainedError):
    """Base of every error that the SDK raises on purpose."""


class InvalidInput(TurnfoldError, ValueError):  # noqa: N818 - the field says InvalidX, not InvalidXError
    """The call is wrong as it stands; repeating it will not help."""

    remedy = "correct the call as the message says"


class InvalidTurn(InvalidInput):
    """A turn that cannot be stored; the message names the field and the remedy."""

    remedy = "correct the turn as the message says, and append it again"


class InvalidIdentifier(InvalidInput):
    """A tenant, conversation or turn id that is empty, too long or holds control characters."""

    remedy = "use an id that is valid Unicode text, without control characters and not too long"


class InvalidBudget(InvalidInput):
    """A budget too small for the parts that are always there."""

    remedy = "give a budget of at least `needed_tokens`, or shorten what is always shown"

    def __init__(self, problem: str, *, remedy: str = "", needed_tokens: int) -> None:
        super().__init__(problem, remedy=remedy)
        self.needed_tokens = needed_tokens


class InvalidSettings(InvalidInput):
    """A setting whose value makes no sense; the message names the variable."""

    remedy = "correct the setting that the message names"


class UnknownConversation(TurnfoldError, LookupError):  # noqa: N818
    """Nobody has written to this conversation, or it was forgotten."""

    remedy = "check the conversation's id and the tenant, or append a turn first"


class UnknownMarker(TurnfoldError, LookupError):  # noqa: N818
    """A marker that is not ours, whose words are those of another node, or that names one which does not exist."""

    remedy = "copy a marker from a context of this conversation"

    def __init__(self, problem: str, *, remedy: str = "", suggestion: str | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.suggestion = suggestion
        """The nearest marker that exists, where there is one; the message names it too."""


class UnknownReference(TurnfoldError, LookupError):  # noqa: N818
    """A reference whose context has ended, or that is not ours."""

    remedy = "make the context again"


class UnknownAnchor(TurnfoldError, LookupError):  # noqa: N818
    """The conversation has no anchor of this number, or none yet: `anchors(conversation_id, states=None)` lists them.

    One of the open tail (`provisional`) gets a number to keep when its segment closes.
    """

    remedy = "list the conversation's anchors in every state for their numbers"


class UnknownTurn(TurnfoldError, LookupError):  # noqa: N818
    """The conversation has no turn of this id: it was never appended, was deleted, or a rewind cut it off."""

    remedy = "take the id from the receipt of its append, or from a list of the conversation's turns"


class InboxFull(TurnfoldError):  # noqa: N818
    """The conversation's inbox has no room for these turns until a worker has stored some. Repeating is safe."""

    remedy = "start workers, and append `turns` again in a while"

    turns: tuple[TurnInput, ...] = ()
    """The turns of the `append` with their ids. Append these later, and nothing is doubled."""
    rings: bool = False
    """True when a part was added, and a worker is to be told."""


class QuotaExceeded(TurnfoldError):  # noqa: N818
    """The tenant may append no more today, or store no more. Nothing of this append was added."""

    remedy = "append `turns` again after `retry_after_seconds`, or raise the tenant's quota"

    turns: tuple[TurnInput, ...] = ()
    """The turns of the `append` with their ids. Append these later, and nothing is doubled."""

    def __init__(self, problem: str, *, remedy: str = "", retry_after_seconds: int) -> None:
        super().__init__(problem, remedy=remedy)
        self.retry_after_seconds = retry_after_seconds
        """Until the next day (UTC) begins, or until what is stored is measured again."""


class Unavailable(TurnfoldError):  # noqa: N818
    """Redis or SQL did not answer within the timeout. Repeating is safe: every turn has an id."""

    remedy = "check that Redis and the database run and can be reached, then repeat the call"

    turns: tuple[TurnInput, ...] = ()
    """After a failed `append`: its turns with their ids. Append these, and nothing is doubled."""
    rings: bool = False
    """As of `InboxFull`."""


class SchemaMismatch(TurnfoldError):  # noqa: N818
    """The database's schema is not the one that this version reads."""

    remedy = "run `turnfold migrate`"


class WaitTimeout(TurnfoldError, TimeoutError):  # noqa: N818
    """`wait` gave up before the conversation was folded."""

    remedy = "check that workers run: `turnfold doctor` says so"

    def __init__(self, problem: str, *, remedy: str = "", status: Status) -> None:
        super().__init__(problem, remedy=remedy)
        self.status = status
