"""The cells that a gateway serves, each with its own connections and threads, and the lookup of a tenant's cell.

Without a file of cells, or when one cell is named for this process, there is only one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from turnfold import AsyncTurnfold, Settings
from turnfold_gateway.redis_client import RedisClient


@dataclass(frozen=True, slots=True)
class ServedCell:
    """One installation; its clients connect on first use."""

    name: str
    """Name in the file of cells; empty without a file."""
    settings: Settings
    turnfold: AsyncTurnfold
    redis: RedisClient


class ServedCells:
    """All served cells; one instance per application."""

    def __init__(self, settings: Settings) -> None:
        """Read the file of cells. Raises `InvalidSettings`."""
        self._cells = settings.read_cells() if settings.cells and not settings.cell else None
        of_cells = (
            {settings.cell: settings}
            if self._cells is None
            else {name: settings.in_cell(name, self._cells) for name in self._cells.cells}
        )
        self.by_name: Mapping[str, ServedCell] = {
            name: ServedCell(name, own, AsyncTurnfold.from_settings(own), RedisClient(own))
            for name, own in of_cells.items()
        }

    def of(self, tenant: str) -> ServedCell:
        """Return the cell in which a tenant lives."""
        if self._cells is None:
            (only,) = self.by_name.values()
            return only
        return self.by_name[self._cells.of(tenant)]

    def client(self, tenant: str) -> AsyncTurnfold:
        """Return the SDK's client for a tenant."""
        return self.of(tenant).turnfold.for_tenant(tenant)

    async def close(self) -> None:
        async with AsyncExitStack() as stack:
            for cell in self.by_name.values():
                stack.push_async_callback(cell.redis.close)
                stack.push_async_callback(cell.turnfold.close)
