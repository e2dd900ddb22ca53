"""Two cells, each with a Redis and a database, for several files of this folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.celery_workers import CeleryWorker
from turnfold.contract.tasks import Queue
from turnfold_worker.cli import main
from turnfold_worker.local.redis_server import RedisServer

InCells = Callable[..., Any]


@pytest.fixture
def second_redis(server_folder: Path) -> Iterator[str]:
    """The URL of the Redis of cell `us`."""
    with RedisServer(server_folder) as server:
        yield server.url


@pytest.fixture
def cells_file(redis_url: str, second_redis: str, sqlite_url: str, postgresql_url: str, tmp_path: Path) -> Path:
    """Cell `eu` is on SQLite and `us` on PostgreSQL; tenant acme is pinned to the first, globex to the second."""
    path = tmp_path / "cells.toml"
    path.write_text(
        f'[cells.eu]\nredis_url = "{redis_url}"\ndatabase_url = "{sqlite_url}"\n'
        f'[cells.us]\nredis_url = "{second_redis}"\ndatabase_url = "{postgresql_url}"\n'
        '[pins]\nacme = "eu"\nglobex = "us"\n',
        "utf-8",
    )
    return path


@pytest.fixture
def pin(cells_file: Path) -> Callable[[str], None]:
    """Pins tenant acme to another cell in the file."""

    def write(cell: str) -> None:
        lines = cells_file.read_text("utf-8").splitlines()
        lines = [f'acme = "{cell}"' if line.startswith("acme = ") else line for line in lines]
        cells_file.write_text("\n".join(lines) + "\n", "utf-8")

    return write


@pytest.fixture
def in_cells(cells_file: Path) -> InCells:
    """Runs `turnfold` with the file and returns its JSON or text."""

    def invoke(*arguments: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(main, list(arguments), env={"TURNFOLD_CELLS": str(cells_file)})
        assert outcome.exit_code == code, outcome.output
        return json.loads(outcome.stdout) if "--json" in arguments else outcome.output

    return invoke


@pytest.fixture
def cell_workers(cells_file: Path, tmp_path: Path) -> Iterator[None]:
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
