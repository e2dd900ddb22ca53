"""Pause a memory that did not answer: every gateway forwards the tenant's requests without it for a while.

A pause covers one tenant, since the failing server may be the one of its cell only. It is stored in Redis, with an
expiry, and also in this process, since Redis may be what fails.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from turnfold import Unavailable
from turnfold.contract.bounded_memo import NewestEntries
from turnfold.contract.keys import gateway_pause
from turnfold_gateway.cells import ServedCells

PAUSE_SECONDS: Final = 5.0
"""Length of a pause: without one, callers would wait for a timeout in each request."""

_MOST_TENANTS: Final = 4_096
_log = logging.getLogger(__name__)


class Pauses:
    """Tenants whose memory is paused; one instance per application."""

    def __init__(self, cells: ServedCells) -> None:
        self._cells = cells
        self._until: NewestEntries[str, float] = NewestEntries(_MOST_TENANTS)

    async def begin(self, tenant: str) -> None:
        """Pause a tenant's memory for `PAUSE_SECONDS`."""
        self._begin_here(tenant)
        try:
            await self._cells.of(tenant).redis.mark(gateway_pause(tenant), seconds=PAUSE_SECONDS)
        except Unavailable:
            _log.warning("cannot tell other gateways that memory is unavailable: Redis does not answer")

    async def is_on(self, tenant: str) -> bool:
        """Tell whether a tenant's memory is paused, here or at another gateway."""
        if time.monotonic() < self._until.get(tenant, 0.0):
            return True
        try:
            return await self._cells.of(tenant).redis.is_marked(gateway_pause(tenant))
        except Unavailable:
            # Reading memory would wait for Redis just as long.
            self._begin_here(tenant)
            return True

    def _begin_here(self, tenant: str) -> None:
        self._until[tenant] = time.monotonic() + PAUSE_SECONDS
