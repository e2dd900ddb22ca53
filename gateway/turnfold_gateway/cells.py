"""The cells that a gateway serves, each by its own connections and threads: which one a tenant lives in.

Without a file of cells, or where one is named for this process, there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from turnfold import AsyncTurnfold, Settings
from turnfold_gateway.redis_client import RedisClient


@dataclass(frozen=True, slots=True)
class ServedCell:
    """An installation: its clients connect when they are first asked something."""

    name: str
    """As the file has it; empty without one."""
    settings: Settings
    turnfold: AsyncTurnfold
    redis: RedisClient


class ServedCells:
    """All of them. One for an application."""

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
        """The cell that a tenant lives in."""
        if self._cells is None:
            (only,) = self.by_name.values()
            return only
        return self.by_name[self._cells.of(tenant)]

    def client(self, tenant: str) -> AsyncTurnfold:
        """The SDK's client for a tenant."""
        return self.of(tenant).turnfold.for_tenant(tenant)

    async def close(self) -> None:
        async with AsyncExitStack() as stack:
            for cell in self.by_name.values():
                stack.push_async_callback(cell.redis.close)
                stack.push_async_callback(cell.turnfold.close)
