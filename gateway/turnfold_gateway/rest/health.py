"""`/healthz`: the process lives. It asks neither Redis nor the database."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold_gateway.rest.bodies import answer


async def healthz(request: Request) -> Response:  # noqa: ARG001 - Starlette's form
    return answer({"status": "ok"})


routes: Final = [Route("/healthz", healthz)]
