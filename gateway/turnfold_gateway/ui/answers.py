"""Decorators of page handlers: visitors without a key are asked for one, and errors are shown as pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from turnfold import TurnfoldError
from turnfold_gateway.keys import KeyRing
from turnfold_gateway.problems import Problem, problem_from
from turnfold_gateway.ui.reading import is_fragment
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import FORM_FIELD, PATH, Visitor, check_admin, check_form, visitor_of

_log = logging.getLogger(__name__)
_FORM_BYTES: Final = 65_536
_MOST_FIELDS: Final = 20

Handler = Callable[[Request, Visitor], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


def page(handler: Handler) -> Endpoint:
    """Wrap a handler that takes the visitor."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        visitor = None
        try:
            visitor = await visitor_of(request)
            if visitor is None:
                return ask_for_key(request)
            return await handler(request, visitor)
        except (Problem, TurnfoldError) as error:
            return error_page(request, problem_from(error), visitor)
        except ClientDisconnect:
            raise
        except Exception:  # noqa: BLE001 - unexpected errors are shown as a page, too
            _log.exception("a page failed")
            return error_page(request, _FAILED, visitor)

    return answer


def deed(action: str) -> Callable[[Callable[[Request, Visitor, dict[str, str]], Awaitable[Response]]], Endpoint]:
    """Wrap a handler that changes something: it requires an admin's key and one of our own forms.

    The handler takes the form's fields. Its outcome is written to the audit log under the name of the `action`.
    """

    def made(handler: Callable[[Request, Visitor, dict[str, str]], Awaitable[Response]]) -> Endpoint:
        @page
        @wraps(handler)
        async def answer(request: Request, visitor: Visitor) -> Response:
            status = 500
            try:
                fields = await fields_of(request)
                check_form(request, visitor, fields.pop(FORM_FIELD, None))
                check_admin(visitor)
                response = await handler(request, visitor, fields)
                status = response.status_code
            except (Problem, TurnfoldError) as error:
                status = problem_from(error).status
                raise
            finally:
                keys: KeyRing = request.app.state.keys
                await keys.note(visitor.caller, action, request.path_params.get("conversation"), status)
            return response

        return answer

    return made


async def fields_of(request: Request) -> dict[str, str]:
    """Return the fields of a form. Raises `Problem` (413) for a body larger than any form of ours."""
    body = bytearray()
    # Counted while reading, since the length header may be wrong and a sender needs no key.
    async for chunk in request.stream():
        body += chunk
        if len(body) > _FORM_BYTES:
            raise _too_large()
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        raise _too_large() from error


def _too_large() -> Problem:
    return Problem(
        413, "form-too-large", "The form is too large", detail="the form exceeds the limit", remedy="shorten the input"
    )


def ask_for_key(request: Request, *, refused: str = "") -> Response:
    """Show the form that takes a key; with status 200 at `/ui` itself, else 401."""
    status = 200 if request.url.path.rstrip("/") == PATH and not refused else 401
    if is_fragment(request):
        return render("fragment_signed_out.html", 401)
    return render("sign_in.html", status, refused=refused, visitor=None, title="Sign in")


def error_page(request: Request, problem: Problem, visitor: Visitor | None) -> Response:
    """Show a problem with its remedy."""
    shown: dict[str, Any] = {"problem": in_words(problem), "visitor": visitor, "title": problem.document["title"]}
    template = "fragment_error.html" if is_fragment(request) else "error.html"
    response = render(template, problem.status, **shown)
    for name, value in problem.headers.items():
        if name.lower() != "www-authenticate":
            response.headers[name] = value
    return response


def in_words(problem: Problem) -> dict[str, Any]:
    """Return a problem's document for people: members meant for programs are put into its remedy."""
    document = dict(problem.document)
    if (needed := document.get("needed_tokens")) is not None:
        document["remedy"] = f"set a budget of at least {needed:,} tokens"
    elif (seconds := document.get("retry_after_seconds")) is not None:
        document["remedy"] = f"reload the page in {seconds} s"
    return document


_FAILED: Final = Problem(
    500, "internal-error", "The page failed", detail="unexpected error; see the gateway's log",
    remedy="reload the page; if it fails again, report it with the time",
)  # fmt: skip
