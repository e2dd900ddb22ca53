"""The routes of `/v1`, each one call of the SDK.

operations      what a route is, and how a request becomes a call
bodies          JSON in and out
decoding        large bodies, beside other requests
answers         what is answered where it is not a record of the SDK
cursors         pages
idempotency     repeated appends

turns, context, lookups, conversations   the operations
health          whether the process lives, and is ready
openapi         the document of all this
openapi_proxy   the proxy's routes in it
"""

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold_gateway.rest import context, conversations, health, lookups, turns
from turnfold_gateway.rest.bodies import answer
from turnfold_gateway.rest.operations import routes_of

operations = (*turns.operations, *context.operations, *lookups.operations, *conversations.operations)


@cache
def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of these operations."""
    from turnfold_gateway.rest.openapi import document

    return document(operations)


async def openapi(request: Request) -> Response:  # noqa: ARG001 - Starlette's form
    return answer(openapi_document())


# What is asked most stands first.
routes = [*routes_of(operations), *health.routes, Route("/openapi.json", openapi)]
