"""The measured constants of `capacity.py` as laws by stage, and their file: docs/scale.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

from capacity_model import Law, Point, Stage, fit

from turnfold_worker.celery_parts.doorman import LINGER_SECONDS, pauses_of
from turnfold_worker.settings import WorkerSettings

STAGES: Final = ("append", "store", "fold", "read")
PROCESSES_A_HOST: Final = 8
QUANTITIES: Final = (
    "own ms", "postgresql ms", "redis ms", "redis commands", "redis bytes", "commits", "transaction ids", "WAL bytes",
    "statements", "service ms",
)  # fmt: skip
"""Measured quantities of a stage, each for a turn (of `read`: for a read)."""


class Constants(NamedTuple):
    """The constants of one size of turn."""

    stages: Mapping[str, Stage]
    sql_bytes: float
    """Bytes of rows and indexes in PostgreSQL for a turn."""
    idle: Mapping[str, float]
    """Cost of a worker without work for each second, by quantity."""


def laws_of(points: Sequence[Mapping[str, float]]) -> dict[str, Law]:
    """Fit a law to each quantity of the points."""
    return {
        name: fit([Point(row["group"], row["task"], max(0.0, row[name])) for row in points])
        for name in QUANTITIES
        if all(name in row for row in points)
    }


def constants_of(measured: Mapping[str, Any]) -> Constants:
    """Return the constants in a result of `capacity_stages.measured`."""
    pauses, settings = pauses_of(PROCESSES_A_HOST), WorkerSettings()
    most = {"store": settings.batch_turns * settings.claim_conversations, "fold": 50 * settings.fold_turns}
    pause = {"store": max(pauses.values()) + LINGER_SECONDS, "fold": min(pauses.values()) + LINGER_SECONDS}
    stages = {
        stage: Stage(
            laws=laws_of(measured["points"][stage]), pause=pause.get(stage, 0.0),
            most_turns_a_task=most.get(stage, 1),
            variation=mean(row.get("variation", 0.0) for row in measured["points"][stage]),
        )
        for stage in STAGES
    }  # fmt: skip
    return Constants(stages, measured["sql bytes"], measured["idle a second"])


def constants_by_size(measured: Mapping[str, Mapping[str, Any]]) -> dict[str, Constants]:
    """Return constants by size of turn, each with the least idle cost, which excludes a vacuum's work."""
    idle = [of_size["idle a second"] for of_size in measured.values()]
    least = {name: min(a_second[name] for a_second in idle) for name in idle[0]}
    return {size: constants_of(of_size)._replace(idle=least) for size, of_size in measured.items()}


def read(path: Path) -> dict[str, Constants]:
    """Return constants by size of turn from the file of a run. Raises `FileNotFoundError` if there is none."""
    return constants_by_size(json.loads(path.read_text())["measured"])
