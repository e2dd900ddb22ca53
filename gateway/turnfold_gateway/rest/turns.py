"""`/v1/conversations/{conversation}/turns`."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold_gateway.keys.access import client_of
from turnfold_gateway.paths import CONVERSATION
from turnfold_gateway.rest.bodies import answer, read_body


class AppendBody(msgspec.Struct, forbid_unknown_fields=True):
    """Turns to append, in order: a provider's messages as they are, or with the fields of `Turn`."""

    turns: list[dict[str, Any]]
    priority: Literal["live", "backfill"] = "live"
    subject: str | None = None


async def append(request: Request) -> Response:
    turnfold = await client_of(request, "append")
    body = await read_body(request, AppendBody)
    conversation = request.path_params["conversation"]
    return answer(await turnfold.append(conversation, body.turns, priority=body.priority, subject=body.subject), 202)


routes: Final = [Route(f"{CONVERSATION}/turns", append, methods=["POST"])]
