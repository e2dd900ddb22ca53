"""Two cells, each with a Redis, a database and workers: a tenant's turns are in its cell and nowhere else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.celery_workers import CeleryWorker
from support.talk import talk
from turnfold import AsyncTurnfold, InvalidSettings, Settings, Turnfold
from turnfold.contract.records import StoredTurn
from turnfold.contract.tasks import Queue
from turnfold_gateway.settings import GatewaySettings
from turnfold_worker.cli import main
from turnfold_worker.local.redis_server import RedisServer

pytestmark = pytest.mark.postgresql

Run = Callable[..., Any]


@pytest.fixture
def cells_file(
    redis_url: str, server_folder: Path, sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> Iterator[Path]:
    """Cell `eu` on SQLite and `us` on PostgreSQL; tenant acme is pinned to the first, globex to the second."""
    with RedisServer(server_folder) as other:
        path = tmp_path / "cells.toml"
        path.write_text(
            f'[cells.eu]\nredis_url = "{redis_url}"\ndatabase_url = "{sqlite_url}"\n'
            f'[cells.us]\nredis_url = "{other.url}"\ndatabase_url = "{postgresql_url}"\n'
            '[pins]\nacme = "eu"\nglobex = "us"\n',
            "utf-8",
        )
        yield path


@pytest.fixture
def run(cells_file: Path) -> Run:
    """Runs `turnfold` with the file, and gives its JSON or text."""

    def invoke(*arguments: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(main, list(arguments), env={"TURNFOLD_CELLS": str(cells_file)})
        assert outcome.exit_code == code, outcome.output
        return json.loads(outcome.stdout) if "--json" in arguments else outcome.output

    return invoke


@pytest.fixture
def workers(cells_file: Path, tmp_path: Path) -> Iterator[None]:
    """A real worker in each cell."""
    started = []
    for cell in ("eu", "us"):
        environment = {
            "TURNFOLD_CELLS": str(cells_file), "TURNFOLD_CELL": cell, "TURNFOLD_SWEEP_SECONDS": "0.5",
            "TURNFOLD_FOLD_TURNS": "1", "TURNFOLD_STATE_DIR": str(tmp_path),
        }  # fmt: skip
        started.append(CeleryWorker(cell, tuple(Queue), environment, tmp_path))
        started[-1].start(wait=False)
    for worker in started:
        worker.wait_until_ready()
    yield
    for worker in started:
        worker.kill()


@pytest.mark.usefixtures("workers")
def test_tenants_live_in_their_cells_and_move(cells_file: Path, run: Run, tmp_path: Path) -> None:
    turns = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("cells", 30))]
    with Turnfold(cells=str(cells_file), tenant="acme") as acme:
        globex = acme.for_tenant("globex")
        for tf in (acme, globex):
            tf.append("c", turns)
            assert tf.wait("c", timeout_seconds=60).stored == 30
        before = acme.turns("c")

    stored = {name: cell["tenants"] for name, cell in run("cells", "--json")["cells"].items()}
    assert stored == {"eu": ["acme"], "us": ["globex"]}
    digest = run("--tenant", "acme", "digest", "c", "--json")["digest"]
    assert digest == run("--cell", "us", "--tenant", "globex", "digest", "c", "--json")["digest"]

    archive = str(tmp_path / "acme.jsonl.gz")
    run("--tenant", "acme", "export", "--all", "-o", archive)
    run("--cell", "us", "--tenant", "acme", "import", archive)
    digests = [run("--cell", cell, "--tenant", "acme", "digest", "--all") for cell in ("eu", "us")]
    assert digests == [f"{digest}  c\n"] * 2
    cells_file.write_text(cells_file.read_text("utf-8").replace('acme = "eu"', 'acme = "us"'), "utf-8")
    assert '"acme" = "eu"' in run("cells", code=1)
    run("--cell", "eu", "--tenant", "acme", "forget", "--all", "--yes")
    assert run("cells", "--json")["cells"]["eu"] == {"tenants": [], "strays": []}

    async def read() -> list[StoredTurn]:
        async with AsyncTurnfold(cells=str(cells_file)) as tf:
            return await tf.for_tenant("acme").turns("c")

    assert asyncio.run(read()) == before
    assert len(before) == 30


def test_commands_ask_which_cell(cells_file: Path, run: Run) -> None:
    assert run("cells", "acme") == "eu\n"
    assert "this process serves one cell" in run("status", code=2)
    assert "--cell" in run("--cell", "eu", "--redis-url", "redis://h", "status", code=2)
    assert "TURNFOLD_CELL is 'mars'" in run("--cell", "mars", "doctor", code=2)
    with pytest.raises(InvalidSettings, match="serves one cell"):
        GatewaySettings.from_env({"TURNFOLD_CELLS": str(cells_file)})
    assert Settings(cells=str(cells_file)).in_cell("us").uses_sqlite is False
