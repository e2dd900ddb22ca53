"""Many conversations of many tenants, two Redis servers, PostgreSQL behind a pooler, and kills all along.

`make test-long` runs it small. The same code runs it as large as there is time for:

    TURNFOLD_SOAK_TURNS=100000 TURNFOLD_SOAK_CONVERSATIONS=20000 TURNFOLD_SOAK_TENANTS=200 TURNFOLD_SOAK_MINUTES=240 \
    TURNFOLD_SOAK_RECORD=soak.json python -m pytest tests/faults/test_soak.py -s
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support import chaos_faults as faults
from support.chaos import Chaos
from support.chaos_round import verdict_of
from support.needed import skipping_on
from support.pgbouncer import installed_pgbouncer
from support.soak import MemoryWatch, Shape, undisturbed_digests
from support.talk import talk

SHAPE = Shape.from_environment(os.environ)

pytestmark = [
    pytest.mark.processes, pytest.mark.apart, pytest.mark.postgresql, pytest.mark.long,
    # The run, and half as long again for folding all of it undisturbed.
    pytest.mark.timeout(90 * SHAPE.minutes),
]  # fmt: skip

Conversations = Mapping[tuple[str, str], list[dict[str, Any]]]

FAULT = replace(
    faults.POOLER_KILLED,
    # Strikes of a short run come close to each other: two on one segment are chance, not its fault.
    environment={"TURNFOLD_ATTEMPTS": "8", "TURNFOLD_FOLD_IDLE_SECONDS": "1"},
)


@pytest.fixture(scope="module")
def soaked() -> Conversations:
    """Conversations of unequal lengths, as platforms have them."""
    return {address: talk(f"soak {address}", turns) for address, turns in SHAPE.lengths().items()}


def test_nothing_is_lost_doubled_or_reordered_on_two_redis_servers_behind_a_pooler(
    server_folder: Path, soaked: Conversations
) -> None:
    # Where there is no pooler, workers and clients speak with PostgreSQL itself.
    database = "pgbouncer" if installed_pgbouncer() else "postgresql"
    plan = replace(FAULT.plan(soaked, database=database, seed=SHAPE.seed), redis_servers=2)
    with skipping_on(ModuleNotFoundError):
        chaos = Chaos(server_folder, plan)
    memory = MemoryWatch(chaos)
    with chaos:
        outcome = chaos.run(timeout_seconds=60 * SHAPE.minutes, progress=memory.look)

    verdict = verdict_of(outcome, undisturbed_digests(soaked))
    row = {**SHAPE.as_row(), "database": database, "outcome": str(outcome), "verdict": verdict, **memory.as_row()}
    print(f"\n{json.dumps(row)}")  # noqa: T201 - how much was disturbed is part of the result
    if record := os.environ.get("TURNFOLD_SOAK_RECORD"):
        Path(record).write_text(json.dumps(row, indent=1) + "\n")
    assert sum(map(len, soaked.values())) == SHAPE.turns
    assert len({tenant for tenant, _ in soaked}) == SHAPE.tenants
    assert not verdict, outcome.verdict
    assert len(outcome.digests) == SHAPE.conversations
    assert memory.largest_mib < SHAPE.most_mib
