"""Pauses of a memory that did not answer: a tenant's requests are forwarded without it for a while, by every gateway.

A pause is of one tenant: what is away may hold its conversations alone. It is kept in Redis, with an expiry, and in
this process too, since what is away may be Redis.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from turnfold import Unavailable
from turnfold.contract.keys import gateway_pause
from turnfold.contract.remembered import NewestEntries
from turnfold_gateway.cells import ServedCells

PAUSE_SECONDS: Final = 5.0
"""For so long nothing is asked of a memory that did not answer: callers would wait for each try."""

_MOST_TENANTS: Final = 4_096
_log = logging.getLogger(__name__)


class Pauses:
    """Which tenants' memories are not asked now. One for an application."""

    def __init__(self, cells: ServedCells) -> None:
        self._cells = cells
        self._until: NewestEntries[str, float] = NewestEntries(_MOST_TENANTS)

    async def begin(self, tenant: str) -> None:
        """Ask nothing of a tenant's memory for `PAUSE_SECONDS`."""
        self._begin_here(tenant)
        try:
            await self._cells.of(tenant).redis.mark(gateway_pause(tenant), seconds=PAUSE_SECONDS)
        except Unavailable:
            _log.warning("other gateways are not told that memory is away: Redis does not answer")

    async def is_on(self, tenant: str) -> bool:
        """Whether a tenant's memory is paused, here or at another gateway."""
        if time.monotonic() < self._until.get(tenant, 0.0):
            return True
        try:
            return await self._cells.of(tenant).redis.is_marked(gateway_pause(tenant))
        except Unavailable:
            # Memory would wait for Redis as long again.
            self._begin_here(tenant)
            return True

    def _begin_here(self, tenant: str) -> None:
        self._until[tenant] = time.monotonic() + PAUSE_SECONDS
