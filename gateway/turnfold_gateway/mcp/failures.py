"""Error messages for a model, and the person watching it: what was wrong, and what to do."""

from __future__ import annotations

import logging
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from turnfold import (
    InboxFull,
    InvalidInput,
    QuotaExceeded,
    Turn,
    TurnfoldError,
    Unavailable,
    UnknownConversation,
    UnknownMarker,
)

_log: Final = logging.getLogger(__name__)

UNEXPECTED: Final = (
    "the server failed in a way that it does not know. Tell the user: the server's log has the kind of the error, and "
    "`turnfold doctor` checks what it needs"
)


class BadArguments(Exception):  # noqa: N818 - a message to the model about its call
    """Raised for a call that cannot be answered; the message says what can be."""


def explained(error: TurnfoldError | BadArguments) -> str:
    """Return an error message that mentions tools, which a model has, instead of SDK methods."""
    match error:
        case UnknownConversation():
            return f"{error.problem}. Check conversation_id: `conversations` lists those that exist"
        case UnknownMarker():
            return f"{error.problem}. `search` and `context` give markers"
        case QuotaExceeded(retry_after_seconds=seconds):
            return f"{error.problem}. {_again(error)} in {seconds} seconds; more calls before that fail too"
        case InboxFull() | Unavailable():
            return f"{error}. {_again(error)} in a few seconds; if it fails again, tell the user"
        case TurnfoldError():
            return f"{error.problem}: {error.remedy}"
        case BadArguments():
            return str(error)


def _again(error: InboxFull | QuotaExceeded | Unavailable) -> str:
    """Tell how to repeat a call: an append with the ids that its turns have by now, so that nothing is duplicated."""
    ids = [turn_id for turn in error.turns if (turn_id := _id_of(turn))]
    return f"Append the same turns with these turn_id values, in this order: {', '.join(ids)}" if ids else "Try again"


def _id_of(turn: Any) -> str | None:
    if isinstance(turn, Turn):
        return turn.turn_id
    return turn.get("turn_id") if isinstance(turn, dict) else None


def unexpected(where: str, error: Exception) -> str:
    """Log the type of an unexpected error, but not its message, which may contain conversation text."""
    _log.error("%s failed: %s.%s", where, type(error).__module__, type(error).__qualname__)
    return UNEXPECTED


def protocol_error(error: TurnfoldError | BadArguments) -> MCPError:
    """Convert an error for requests whose result cannot be marked as an error, such as resource reads."""
    callers = isinstance(error, (InvalidInput, LookupError, BadArguments))
    return MCPError(INVALID_PARAMS if callers else INTERNAL_ERROR, explained(error))
