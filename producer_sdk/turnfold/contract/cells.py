"""Cells: separate installations, each with its own Redis, broker and database, and the placement of tenants in them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, Final

from turnfold.contract.keys import checked_id
from turnfold.contract.server_urls import urls_of
from turnfold.errors import InvalidInput, InvalidSettings

_FORM: Final = "a cell is a table [cells.NAME] with redis_url and database_url; see docs/cells.md"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cell:
    """A cell: fields are those of `Settings`, with the same defaults."""

    redis_url: str
    database_url: str
    broker_url: str = ""
    read_database_url: str = ""
    database_pooler: bool = False
    pinned_only: bool = False
    """Exclude the cell from hashing: only pinned tenants live there."""

    @property
    def servers(self) -> dict[str, Any]:
        """Settings of the processes of this cell, by the field names of `Settings`."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "pinned_only"}

    @property
    def _broker(self) -> str:
        return self.broker_url or urls_of(self.redis_url)[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cells:
    """All cells by name, and the tenants pinned to one. Raises `InvalidSettings` for an inconsistent configuration."""

    cells: Mapping[str, Cell]
    pins: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.cells:
            raise InvalidSettings("the file of TURNFOLD_CELLS defines no cells", remedy=_FORM)
        self._check_apart()
        for tenant, name in self.pins.items():
            if name not in self.cells:
                msg = f"TURNFOLD_CELLS pins tenant {tenant!r} to cell {name!r}, which does not exist"
                raise InvalidSettings(msg, remedy=f"pin it to one of {', '.join(self.cells)}")
        if all(cell.pinned_only for cell in self.cells.values()):
            msg = "TURNFOLD_CELLS leaves no cell for unpinned tenants: all cells are pinned_only"
            raise InvalidSettings(msg, remedy="remove pinned_only from at least one cell")

    def _check_apart(self) -> None:
        users: dict[tuple[str, str], str] = {}
        for name, cell in self.cells.items():
            # Clients of two cells share neither shards nor queues: data on a common server would get lost between them.
            owned = {("database", cell.database_url), ("broker", cell._broker)}  # noqa: SLF001 - one of our own kind
            owned |= {("Redis", url) for url in urls_of(cell.redis_url)}
            for server in sorted(owned):
                if users.setdefault(server, name) != name:
                    msg = f"TURNFOLD_CELLS gives cells {users[server]!r} and {name!r} the same {server[0]}"
                    raise InvalidSettings(msg, remedy="give each cell its own Redis, broker and database")

    def named(self, name: str) -> Cell:
        """Return the cell with a name. Raises `InvalidSettings` for an unknown one."""
        if name not in self.cells:
            msg = f"TURNFOLD_CELL is {name!r}, which is not a cell of TURNFOLD_CELLS"
            raise InvalidSettings(msg, remedy=f"use one of {', '.join(self.cells)}")
        return self.cells[name]

    def of(self, tenant: str) -> str:
        """Return the name of a tenant's cell: the pinned one, else by rendezvous hashing.

        A new cell takes a share of the tenants of every other cell; no tenant moves between existing cells.
        """
        if tenant in self.pins:
            return self.pins[tenant]
        return max((name for name, cell in self.cells.items() if not cell.pinned_only), key=lambda n: _rank(n, tenant))


def _rank(name: str, tenant: str) -> bytes:
    return sha256(f"{name}\0{tenant}".encode()).digest()


def parse_cells(text: str) -> Cells:
    """Parse the TOML of a cells file. Raises `InvalidSettings`, without revealing any URL."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettings(f"the file of TURNFOLD_CELLS is not valid TOML: {error}", remedy=_FORM) from error
    if unknown := tables.keys() - {"cells", "pins"}:
        msg = f"the file of TURNFOLD_CELLS has an unknown table {min(unknown)!r}"
        raise InvalidSettings(msg, remedy="use [cells.NAME] and [pins]")
    cells, pins = tables.get("cells", {}), tables.get("pins", {})
    if not isinstance(cells, dict) or not isinstance(pins, dict):
        raise InvalidSettings("cells and pins in the file of TURNFOLD_CELLS must be tables", remedy=_FORM)
    for tenant, name in pins.items():
        _check_name("tenant", tenant)
        if not isinstance(name, str):
            msg = f"TURNFOLD_CELLS pins tenant {tenant!r} to a value that is not text"
            raise InvalidSettings(msg, remedy='write pins as acme = "eu"; quote a tenant that contains dots')
    return Cells(cells={name: _cell(name, table) for name, table in cells.items()}, pins=pins)


def _check_name(kind: str, name: str) -> None:
    try:
        checked_id(kind, name)
    except InvalidInput as error:
        raise InvalidSettings(f"TURNFOLD_CELLS: {error}", remedy="correct the name in the file") from error


def _cell(name: str, table: object) -> Cell:
    _check_name("cell", name)
    if not isinstance(table, dict):
        raise InvalidSettings(f"TURNFOLD_CELLS: cell {name!r} is not a table", remedy=_FORM)
    kinds = {each.name: bool if each.type == "bool" else str for each in fields(Cell)}
    if unknown := table.keys() - kinds:
        msg = f"TURNFOLD_CELLS: cell {name!r} has an unknown key {min(unknown)!r}"
        raise InvalidSettings(msg, remedy=f"use {', '.join(kinds)}")
    for key, setting in table.items():
        if type(setting) is not kinds[key]:
            msg = f"TURNFOLD_CELLS: {key} of cell {name!r} must be {'true or false' if kinds[key] is bool else 'text'}"
            raise InvalidSettings(msg, remedy=_FORM)
    for key in ("redis_url", "database_url"):
        if not table.get(key):
            raise InvalidSettings(f"TURNFOLD_CELLS: cell {name!r} has no {key}", remedy=_FORM)
    return Cell(**table)
