"""Parked work and decisions about it, and the usage and cost of models."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Final, Literal, cast
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from turnfold import InvalidInput, Settings
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.problems import Problem
from turnfold_gateway.ui.answers import deed, page
from turnfold_gateway.ui.reading import number_of
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.safety import HEADERS
from turnfold_gateway.ui.sessions import PATH, Visitor
from turnfold_gateway.ui.views.usage import days_of, totals_of

MOST_WORK: Final = 200
SPANS: Final = (7, 30, 90)
"""Periods of usage to choose from, in days."""


@page
async def jobs(request: Request, visitor: Visitor) -> Response:
    """Show work that is parked, fails or is overdue."""
    works = await visitor.turnfold.jobs(limit=MOST_WORK)
    return render(
        "jobs.html", visitor=visitor, title="Jobs", works=works, most=MOST_WORK,
        outcome=request.query_params.get("outcome", "")[:300],
    )  # fmt: skip


@deed("decideJob")
async def decide_job(request: Request, visitor: Visitor, fields: dict[str, str]) -> Response:
    """Retry or skip one piece of work."""
    action = fields.get("action", "")
    if action not in {"retry", "skip"}:
        raise InvalidInput(f"the action must be retry or skip, not {action[:20]!r}")
    chosen = cast("Literal['retry', 'skip']", action)
    tenant, cells = visitor.caller.tenant, cast("ServedCells", request.app.state.cells)
    outcome = await asyncio.to_thread(_decide, cells.of(tenant).settings, tenant, fields.get("id", ""), chosen)
    return RedirectResponse(f"{PATH}/jobs?{urlencode({'outcome': outcome})}", 303, HEADERS)


def _decide(settings: Settings, tenant: str, work_id: str, action: Literal["retry", "skip"]) -> str:
    """Retry or skip a piece of a tenant's work and return the outcome as text. Blocking.

    Raises `Problem` (501) where `turnfold-worker` is not installed, `InvalidInput`, `Unavailable`.
    """
    try:
        decisions = import_module("turnfold_worker.operate.decisions")
    except ModuleNotFoundError as error:
        raise Problem(
            501, "no-worker-package", "Jobs cannot be retried or skipped here",
            detail="this needs turnfold-worker, which is not installed with the gateway",
            remedy=f"run `turnfold jobs {action} {work_id[:30]}` where workers are installed",
        ) from error  # fmt: skip
    outcome: str = decisions.decide(settings, tenant, work_id, action)
    return outcome


@page
async def usage(request: Request, visitor: Visitor) -> Response:
    """Show calls, tokens and cost by day and model."""
    days = number_of(request, "days", SPANS[1])
    days = days if days in SPANS else SPANS[1]
    rows = await visitor.turnfold.usage(days=days)
    return render(
        "usage.html", visitor=visitor, title="Usage", rows=[*reversed(rows)], totals=totals_of(rows),
        bars=days_of(rows), days=days, spans=SPANS,
    )  # fmt: skip
