"""Signing in with a key, signing out, and unknown addresses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from turnfold import TurnfoldError
from turnfold_gateway.problems import Problem, problem_of
from turnfold_gateway.ui.answers import ask_for_key, error_page, fields_of, page
from turnfold_gateway.ui.safety import HEADERS
from turnfold_gateway.ui.sessions import (
    FORM_FIELD,
    PATH,
    Visitor,
    check_form,
    check_origin,
    sign_in,
    sign_out,
    visitor_with,
)


async def take_key(request: Request) -> Response:
    """Check a key and store it in the cookie."""
    try:
        check_origin(request)
        key = (await fields_of(request)).get("key", "").strip()
        await visitor_with(request, key)
    except Problem as problem:
        if problem.status != 401:
            return error_page(request, problem, None)
        return ask_for_key(request, refused="This key is unknown or was revoked. Keys look like tfk_…")
    except TurnfoldError as error:
        return error_page(request, problem_of(error), None)
    response = RedirectResponse(PATH, 303, HEADERS)
    sign_in(response, request, key)
    return response


@page
async def give_up_key(request: Request, visitor: Visitor) -> Response:
    """Remove the key."""
    check_form(request, visitor, (await fields_of(request)).get(FORM_FIELD))
    response = RedirectResponse(PATH, 303, HEADERS)
    sign_out(response)
    return response


@page
async def nowhere(request: Request, visitor: Visitor) -> Response:  # noqa: ARG001 - a handler's signature
    """Redirect an address with a trailing slash, else raise a 404 problem."""
    address = request.url.path
    if address.endswith("/"):
        return RedirectResponse(address.rstrip("/"), headers=HEADERS)
    raise Problem(
        404, "not-found", "Page not found", detail="there is no page at this address",
        remedy="start from the list of conversations",
    )  # fmt: skip
