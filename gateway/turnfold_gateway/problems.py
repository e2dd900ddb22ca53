"""Errors as RFC 9457 problems: a table from SDK errors to status, type and title."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from turnfold import (
    InboxFull,
    InvalidBudget,
    InvalidIdentifier,
    InvalidInput,
    InvalidSettings,
    InvalidTurn,
    QuotaExceeded,
    SchemaMismatch,
    TurnfoldError,
    Unavailable,
    UnknownAnchor,
    UnknownConversation,
    UnknownMarker,
    UnknownReference,
    UnknownTurn,
    WaitTimeout,
)

MEDIA_TYPE: Final = "application/problem+json"
BACK_OFF_SECONDS: Final = 1
"""`Retry-After` when no better value is known."""


class Problem(Exception):  # noqa: N818 - the standard's word
    """An error response: raise it in a handler."""

    def __init__(
        self,
        status: int,
        kind: str,
        title: str,
        *,
        detail: str,
        remedy: str,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        """Describe the problem; `kind` ends its type, `urn:turnfold:problem:…`, and `members` extend the document."""
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})
        self.document = {
            "type": f"urn:turnfold:problem:{kind}",
            "title": title,
            "status": status,
            "detail": detail,
            "remedy": remedy,
            **{name: member for name, member in members.items() if member is not None},
        }

    def response(self) -> Response:
        return Response(msgspec.json.encode(self.document), self.status, self.headers, MEDIA_TYPE)


_CORRECT: Final = "correct the request as the detail says; repeating it as it is will not help"
_SAME_IDS: Final = "with the ids of turn_ids nothing is doubled"

TABLE: Final[Mapping[type[TurnfoldError], tuple[int, str, str]]] = {
    InvalidTurn: (422, "invalid-turn", "A turn cannot be stored"),
    InvalidIdentifier: (422, "invalid-identifier", "An id cannot be used"),
    InvalidBudget: (422, "invalid-budget", "The budget is too small"),
    InvalidSettings: (422, "invalid-settings", "A setting makes no sense"),
    InvalidInput: (422, "invalid-input", "The request makes no sense"),
    UnknownConversation: (404, "unknown-conversation", "There is no such conversation"),
    UnknownMarker: (404, "unknown-marker", "There is no such marker"),
    UnknownReference: (404, "unknown-reference", "The reference has ended"),
    UnknownAnchor: (404, "unknown-anchor", "There is no such anchor"),
    UnknownTurn: (404, "unknown-turn", "There is no such turn"),
    InboxFull: (429, "inbox-full", "Workers are far behind"),
    QuotaExceeded: (429, "quota-exceeded", "The tenant's quota is used up"),
    Unavailable: (503, "unavailable", "Redis or the database did not answer"),
    SchemaMismatch: (503, "schema-mismatch", "The database was not migrated"),
    WaitTimeout: (504, "wait-timeout", "The work was not done in time"),
    TurnfoldError: (500, "internal-error", "The gateway failed"),
}
"""Status, type and title of each error; an error that is not listed has those of its nearest base."""


def problem_of(error: TurnfoldError) -> Problem:
    """Return the problem for an SDK error."""
    status, kind, title = next(TABLE[base] for base in type(error).__mro__ if base in TABLE)
    remedy = error.remedy
    members: dict[str, Any] = {}
    headers = {}
    if isinstance(error, InvalidBudget):
        members["needed_tokens"] = error.needed_tokens
    if isinstance(error, UnknownMarker):
        members["suggestion"] = error.suggestion
    if isinstance(error, (InboxFull, QuotaExceeded, Unavailable)):
        seconds = error.retry_after_seconds if isinstance(error, QuotaExceeded) else BACK_OFF_SECONDS
        headers["Retry-After"] = str(seconds)
        members["retry_after_seconds"] = seconds
        if error.turns:
            members["turn_ids"] = [_turn_id(turn) for turn in error.turns]
            remedy = f"{remedy}; {_SAME_IDS}"
    return Problem(status, kind, title, detail=error.problem, remedy=remedy, headers=headers, **members)


def _turn_id(turn: Any) -> str:
    return str(turn["turn_id"] if isinstance(turn, Mapping) else turn.turn_id)


_REMEDIES: Final = {
    404: "look the path up in /openapi.json; ids in paths are percent-encoded",
    405: "use one of the methods that Allow names",
}


def problem_from(error: Exception) -> Problem:
    """Return the problem for any error."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, TurnfoldError):
        return problem_of(error)
    if isinstance(error, HTTPException):
        kind = "-".join(error.detail.lower().split())
        remedy = _REMEDIES.get(error.status_code, _CORRECT)
        return Problem(
            error.status_code, kind, error.detail, detail=error.detail.lower(), remedy=remedy, headers=error.headers
        )
    # Unexpected: the server's log has the traceback, the response none of it.
    return Problem(
        500, "internal-error", "The gateway failed", detail="an unforeseen error; the gateway's log has it",
        remedy="repeat the request once; if it fails again, report it with the time of the request",
    )  # fmt: skip


async def answer_nobody(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's signature
    """Answer a client that disconnected while sending, which is not an error of ours and reads no response."""
    return Response(status_code=400)


async def answer_error(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's signature
    return problem_from(error).response()


HANDLERS: Final = {
    **dict.fromkeys((TurnfoldError, Problem, HTTPException, Exception), answer_error),
    ClientDisconnect: answer_nobody,
}
"""Argument for `Starlette(exception_handlers=…)`."""
