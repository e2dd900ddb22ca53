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


_CORRECT: Final = "correct the request as the detail says; repeating it unchanged will not help"
_SAME_IDS: Final = "resend the turns with the ids in turn_ids to avoid duplicates"

TABLE: Final[Mapping[type[TurnfoldError], tuple[int, str, str]]] = {
    InvalidTurn: (422, "invalid-turn", "Invalid turn"),
    InvalidIdentifier: (422, "invalid-identifier", "Invalid id"),
    InvalidBudget: (422, "invalid-budget", "The budget is too small"),
    InvalidSettings: (422, "invalid-settings", "Invalid setting"),
    InvalidInput: (422, "invalid-input", "Invalid request"),
    UnknownConversation: (404, "unknown-conversation", "Unknown conversation"),
    UnknownMarker: (404, "unknown-marker", "Unknown marker"),
    UnknownReference: (404, "unknown-reference", "Unknown or expired reference"),
    UnknownAnchor: (404, "unknown-anchor", "Unknown anchor"),
    UnknownTurn: (404, "unknown-turn", "Unknown turn"),
    InboxFull: (429, "inbox-full", "The inbox is full"),
    QuotaExceeded: (429, "quota-exceeded", "The tenant's quota is exhausted"),
    Unavailable: (503, "unavailable", "Redis or the database did not answer"),
    SchemaMismatch: (503, "schema-mismatch", "The database schema does not match"),
    WaitTimeout: (504, "wait-timeout", "The work did not finish in time"),
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
    404: "see /openapi.json for the paths; percent-encode ids in paths",
    405: "use a method listed in Allow",
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
        500, "internal-error", "The gateway failed", detail="unexpected error; see the gateway's log",
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
