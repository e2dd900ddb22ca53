"""Of two cells, each with a Redis, a database and workers, only a tenant's own cell has its turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.talk import talk
from turnfold import AsyncTurnfold, Settings, Turnfold
from turnfold.contract.records import StoredTurn

InCells = Callable[..., Any]

pytestmark = pytest.mark.postgresql


@pytest.mark.usefixtures("cell_workers")
def test_tenants_live_in_their_cells_and_move(cells_file: Path, in_cells: InCells, pin: Callable[[str], None]) -> None:
    turns = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("cells", 30))]
    with Turnfold(cells=str(cells_file), tenant="acme") as acme:
        globex = acme.for_tenant("globex")
        for tf in (acme, globex):
            tf.append("c", turns)
            assert tf.wait("c", timeout_seconds=90).stored == 30
        before = acme.turns("c")

    stored = {name: cell["tenants"] for name, cell in in_cells("cells", "--json")["cells"].items()}
    assert stored == {"eu": ["acme"], "us": ["globex"]}
    digest = in_cells("--tenant", "acme", "digest", "c", "--json")["digest"]
    assert digest == in_cells("--cell", "us", "--tenant", "globex", "digest", "c", "--json")["digest"]

    in_cells("cells", "move", "acme", "--to", "us")
    digests = [in_cells("--cell", cell, "--tenant", "acme", "digest", "--all") for cell in ("eu", "us")]
    assert digests == [f"{digest}  c\n"] * 2
    pin("us")
    assert '"acme" = "eu"' in in_cells("cells", code=1)
    moved = in_cells("cells", "move", "acme", "--to", "us", "--yes", "--json")
    assert moved["erased"]["eu"] | {"segments": 0, "anchors": 0} == {
        "conversations": 1, "completed": True, "inbox_turns": 0, "turns": 30, "segments": 0, "anchors": 0,
    }  # fmt: skip
    assert in_cells("cells", "--json")["cells"]["eu"] == {"tenants": [], "strays": []}

    async def read() -> list[StoredTurn]:
        async with AsyncTurnfold(cells=str(cells_file)) as tf:
            return await tf.for_tenant("acme").turns("c")

    assert asyncio.run(read()) == before
    assert len(before) == 30


def test_commands_ask_which_cell(cells_file: Path, in_cells: InCells) -> None:
    assert in_cells("cells", "acme") == "eu\n"
    assert "this process serves a single cell" in in_cells("status", code=2)
    assert "--cell" in in_cells("--cell", "eu", "--redis-url", "redis://h", "status", code=2)
    assert "TURNFOLD_CELL is 'mars'" in in_cells("--cell", "mars", "doctor", code=2)
    assert Settings(cells=str(cells_file)).in_cell("us").uses_sqlite is False
