"""A soak of many conversations and tenants on two Redis servers and a pooled PostgreSQL, with kills and restarts.

`make test-long` runs a small one; `benchmarks/soak.py` runs the same code for as long as you like.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.chaos import FOUR_WORKERS
from support.needed import skipping_on
from support.pgbouncer import installed_pgbouncer
from support.soak import Shape, Soak, Stopped

SHAPE = Shape.from_environment(os.environ)

pytestmark = [
    pytest.mark.processes, pytest.mark.postgresql, pytest.mark.long,
    # The run, plus half as long again for folding everything undisturbed.
    pytest.mark.timeout(90 * SHAPE.minutes),
]  # fmt: skip


def soak_in(folder: Path, shape: Shape = SHAPE) -> Soak:
    """Create the soak as a newly started process does."""
    # Without a pooler, workers and clients connect to PostgreSQL directly.
    database = "pgbouncer" if installed_pgbouncer() else "postgresql"
    return Soak(folder, shape, database=database, workers=FOUR_WORKERS)


def stop_after(waves: int) -> Any:
    """Return a callback that ends a run after `waves` waves."""

    def told(row: Mapping[str, Any]) -> None:
        if row["wave"] == waves:
            raise Stopped

    return told


def test_nothing_is_lost_doubled_or_reordered_on_two_redis_servers_behind_a_pooler(server_folder: Path) -> None:
    with skipping_on(ModuleNotFoundError):
        with pytest.raises(Stopped):
            soak_in(server_folder).run(seconds=60 * SHAPE.minutes, told=stop_after(2))
        # Stop within a wave; the next run repeats its appends.
        with pytest.raises(Stopped):
            soak_in(server_folder).run(seconds=0)
        soak_in(server_folder).run(seconds=60 * SHAPE.minutes)

    soak = soak_in(server_folder)
    assert soak.is_done
    print(f"\n{json.dumps(soak.rows)}")  # noqa: T201 - how much was disturbed is part of the result
    assert [row["wave"] for row in soak.rows] == [*range(1, soak.waves + 1)]
    assert sum(row["turns"] for row in soak.rows) == SHAPE.turns
    assert sum(row["conversations"] for row in soak.rows) == SHAPE.conversations
    for row in soak.rows:
        assert not row["other"], row
        assert row["lost"] == row["doubled"] == row["reordered"] == row["unknown"] == row["digests_differ"] == 0
        assert sum(row["strikes"].values()) > 0
        assert row["largest_process_mib"] < SHAPE.most_mib


def test_every_conversation_is_in_one_wave(tmp_path: Path) -> None:
    soak = soak_in(tmp_path)
    waves = [soak.conversations_of(wave) for wave in range(soak.waves)]
    assert soak.waves > 1
    assert {address for wave in waves for address in wave} == SHAPE.lengths().keys()
    assert sum(map(len, waves)) == SHAPE.conversations
    assert {address: len(said) for wave in waves for address, said in wave.items()} == SHAPE.lengths()


def test_a_soak_of_other_sizes_is_refused(tmp_path: Path) -> None:
    other = SHAPE._replace(seed=SHAPE.seed + 1)
    (tmp_path / "soak.json").write_text(json.dumps({"shape": other.as_row(), "waves": []}), "utf-8")
    with pytest.raises(ValueError, match="is of another soak"):
        soak_in(tmp_path)
