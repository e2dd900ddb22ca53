"""`/healthz`: the process lives. `/readyz`: Redis and a database of this version answer. `/openapi.json`."""

from __future__ import annotations

import time
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold import AsyncTurnfold, TurnfoldError
from turnfold_gateway.problems import problem_of
from turnfold_gateway.rest.answers import Health
from turnfold_gateway.rest.bodies import answer

NOBODYS: Final = "turnfold.readyz"
"""A conversation that nobody writes to."""
KEPT_SECONDS: Final = 1.0
"""How long readiness is taken from memory: anybody may ask."""


async def healthz(request: Request) -> Response:  # noqa: ARG001 - Starlette's form
    return answer(Health())


async def readyz(request: Request) -> Response:
    state = request.app.state
    until, problem = getattr(state, "readiness", (0.0, None))
    if time.monotonic() >= until:
        problem = await _problem(state.turnfold)
        state.readiness = (time.monotonic() + KEPT_SECONDS, problem)
    return answer(Health()) if problem is None else problem.response()


async def _problem(turnfold: AsyncTurnfold) -> object:
    try:
        await turnfold.status(NOBODYS)
    except TurnfoldError as error:
        return problem_of(error)
    return None


routes: Final = [Route("/healthz", healthz), Route("/readyz", readyz)]
