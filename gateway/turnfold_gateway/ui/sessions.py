"""A key in a cookie: identify the visitor, and check that a form came from our own page."""

from __future__ import annotations

from hashlib import blake2b
from hmac import compare_digest
from typing import Final, NamedTuple

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from turnfold import AsyncTurnfold
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys import Caller, caller_with
from turnfold_gateway.problems import Problem

COOKIE: Final = "turnfold_key"
PATH: Final = "/ui"
SESSION_SECONDS: Final = 12 * 3_600
FORM_FIELD: Final = "form_token"
_LONGEST_KEY: Final = 200


class Visitor(NamedTuple):
    """A visitor who has signed in."""

    caller: Caller
    turnfold: AsyncTurnfold
    """Client for the caller's tenant."""
    form_token: str
    """Token in our forms, which no other site can know."""

    @property
    def is_admin(self) -> bool:
        return "admin" in self.caller.scopes


async def visitor_of(request: Request) -> Visitor | None:
    """Return the visitor; None without a valid key. Raises `Problem` (403) if the key lacks the scope `read`."""
    key = request.cookies.get(COOKIE, "")
    if not key:
        return None
    try:
        return await visitor_with(request, key)
    except Problem as problem:
        if problem.status != 401:
            raise
        return None


async def visitor_with(request: HTTPConnection, key: str) -> Visitor:
    """Return the visitor with a key. Raises `Problem` (401, 403, 429), `Unavailable`."""
    caller = await caller_with(request, key[:_LONGEST_KEY].strip(), "read")
    cells: ServedCells = request.app.state.cells
    return Visitor(caller, cells.client(caller.tenant), _form_token(key))


def _form_token(key: str) -> str:
    return blake2b(key.encode(), digest_size=20, person=b"turnfold-form").hexdigest()


def sign_in(response: Response, request: Request, key: str) -> None:
    """Store the key in a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        COOKIE, key, max_age=SESSION_SECONDS, path=PATH, secure=_is_secure(request), httponly=True, samesite="strict",
    )  # fmt: skip


def _is_secure(request: Request) -> bool:
    """Tell whether the browser used TLS; if a proxy terminated it, the form's Origin header shows that."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def sign_out(response: Response) -> None:
    response.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")


def check_origin(request: Request) -> None:
    """Raise `Problem` (403) for a form from another site."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_foreign = site not in {"same-origin", "none"}
    else:
        # Only for old browsers. Behind a proxy that changes the host this refuses valid forms, which is the safe side.
        is_foreign = origin is not None and origin.partition("://")[2] != request.headers.get("host", "")
    if is_foreign:
        raise Problem(
            403, "foreign-form", "The form came from another site", detail="forms are accepted only from this page",
            remedy="open the page directly and submit the form there",
        )  # fmt: skip


def check_form(request: Request, visitor: Visitor, form_token: object) -> None:
    """Raise `Problem` (403) for a form that was not shown to this visitor."""
    check_origin(request)
    if not isinstance(form_token, str) or not compare_digest(form_token.encode(), visitor.form_token.encode()):
        raise Problem(
            403, "stale-form", "The form has expired", detail="it was created for another key",
            remedy="go back, reload the page and submit the form again",
        )  # fmt: skip


def check_admin(visitor: Visitor) -> None:
    """Raise `Problem` (403) for a visitor without the scope `admin`."""
    if not visitor.is_admin:
        raise Problem(
            403, "missing-scope", "The key lacks a scope", detail="this needs the scope admin",
            remedy="sign in with a key created with --scope admin",
        )  # fmt: skip
