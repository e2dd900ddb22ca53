"""`/healthz`: the process is alive. `/readyz`: Redis and a database of this version answer, for at least one cell."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold import TurnfoldError
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.problems import problem_of
from turnfold_gateway.rest.answers import Health
from turnfold_gateway.rest.bodies import answer

NOBODYS: Final = "turnfold.readyz"
"""A conversation that is never written to."""
KEPT_SECONDS: Final = 1.0
"""How long readiness is cached, since the route needs no key."""


async def healthz(request: Request) -> Response:  # noqa: ARG001 - Starlette's signature
    return answer(Health())


async def readyz(request: Request) -> Response:
    state = request.app.state
    until, problem = getattr(state, "readiness", (0.0, None))
    if time.monotonic() >= until:
        problem = await _problem(state.cells)
        state.readiness = (time.monotonic() + KEPT_SECONDS, problem)
    return answer(Health()) if problem is None else problem.response()


async def _problem(cells: ServedCells) -> object:
    """Return None as soon as one cell answers: a cell that is away affects only its own tenants."""
    looks = [asyncio.create_task(cell.turnfold.status(NOBODYS)) for cell in cells.by_name.values()]
    problem: object = None
    try:
        for look in asyncio.as_completed(looks):
            try:
                await look
            except TurnfoldError as error:
                problem = problem_of(error)
            else:
                return None
    finally:
        for asked in looks:
            asked.cancel()
        await asyncio.gather(*looks, return_exceptions=True)
    return problem


routes: Final = [Route("/healthz", healthz), Route("/readyz", readyz)]
