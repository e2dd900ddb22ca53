"""The routes of `/v1`, each one call of the SDK.

operations      declares routes, and turns requests into calls
bodies          JSON requests and responses
decoding        decodes large bodies without blocking other requests
answers         response types that differ from the SDK's records
cursors         cursors of pages
idempotency     repeated appends
turns, context, lookups, conversations   the operations
health          liveness and readiness
openapi         the OpenAPI document
openapi_proxy   the proxy's routes in that document
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
    """Return the OpenAPI document of these operations."""
    from turnfold_gateway.rest.openapi import document

    return document(operations)


async def openapi(request: Request) -> Response:  # noqa: ARG001 - Starlette's signature
    return answer(openapi_document())


# The most frequent routes come first.
routes = [*routes_of(operations), *health.routes, Route("/openapi.json", openapi)]
