"""A key in a cookie: who looks, and whether a form that changes something came from our own page."""

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
    """Whoever signed in."""

    caller: Caller
    turnfold: AsyncTurnfold
    """Of the caller's tenant."""
    form_token: str
    """What forms carry: no other site can know it."""

    @property
    def is_admin(self) -> bool:
        return "admin" in self.caller.scopes


async def visitor_of(request: Request) -> Visitor | None:
    """Who looks; None without a key, or with one that is not good any more. Raises `Problem` (403) without `read`."""
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
    """Whoever has the key. Raises `Problem` (401, 403, 429), `Unavailable`."""
    caller = await caller_with(request, key[:_LONGEST_KEY].strip(), "read")
    cells: ServedCells = request.app.state.cells
    return Visitor(caller, cells.client(caller.tenant), _form_token(key))


def _form_token(key: str) -> str:
    return blake2b(key.encode(), digest_size=20, person=b"turnfold-form").hexdigest()


def sign_in(response: Response, request: Request, key: str) -> None:
    """Keep the key in a cookie that no script and no other site gets."""
    response.set_cookie(
        COOKIE, key, max_age=SESSION_SECONDS, path=PATH, secure=_is_secure(request), httponly=True, samesite="strict",
    )  # fmt: skip


def _is_secure(request: Request) -> bool:
    """Whether the browser asked by TLS, which a proxy may have ended: its form then says so by its origin."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def sign_out(response: Response) -> None:
    response.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")


def check_origin(request: Request) -> None:
    """Raise `Problem` (403) for a form that another site sent."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_foreign = site not in {"same-origin", "none"}
    else:
        # Of an old browser: behind a proxy that renames the host it would be refused, which is the safe side.
        is_foreign = origin is not None and origin.partition("://")[2] != request.headers.get("host", "")
    if is_foreign:
        raise Problem(
            403, "foreign-form", "The form came from another site", detail="forms are taken from this page alone",
            remedy="open the page itself, and send the form from there",
        )  # fmt: skip


def check_form(request: Request, visitor: Visitor, form_token: object) -> None:
    """Raise `Problem` (403) for a form that is not one of those that this visitor was shown."""
    check_origin(request)
    if not isinstance(form_token, str) or not compare_digest(form_token.encode(), visitor.form_token.encode()):
        raise Problem(
            403, "stale-form", "The form is no longer good", detail="it was made for another key",
            remedy="go back, load the page anew, and send the form again",
        )  # fmt: skip


def check_admin(visitor: Visitor) -> None:
    """Raise `Problem` (403) for a visitor who may only look."""
    if not visitor.is_admin:
        raise Problem(
            403, "missing-scope", "The key may not do this", detail="this needs the scope admin",
            remedy="sign in with a key that was made with --scope admin",
        )  # fmt: skip
