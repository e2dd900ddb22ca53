"""Compare the model with a run that it was not fitted to: one worker for all queues, and turns that come at a rate.

Costs are compared directly. Waiting times are compared by Little's law: the mean number of turns on their way, divided
by their rate, is the mean time that each is on its way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from statistics import mean
from typing import Any, Final

from capacity_constants import Constants
from capacity_model import Stage, waiting
from capacity_stages import scheduled
from databases import places
from steady import Counters, steady

from support.celery_workers import CeleryWorker
from turnfold_worker.celery_parts.doorman import LINGER_SECONDS, pauses_of

TURNS_A_FOLD: Final = 4
"""A number of turns a fold at which no constant was measured."""
CONVERSATIONS: Final = 6
WANTED_BUSY: Final = 0.4
"""Utilisation of the single process: a queue that only grows has no mean."""
LOOK_SECONDS: Final = 0.5
SETTLED_SECONDS: Final = 5.0
"""Seconds before the mean is taken."""


class Backlog(threading.Thread):
    """Samples, at regular times, the turns that are appended but not stored, and stored but not folded."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.unstored: list[int] = []
        self.unfolded: list[int] = []
        self.stretch = 1.0
        self._over = threading.Event()
        self._turns = 0

    def watch(self, worker: CeleryWorker, counters: Counters, turns: int) -> None:
        """Set the number of appended turns; start to sample at the first call."""
        self._turns = turns
        if not self.is_alive() and not self._over.is_set():
            self._worker, self._counters = worker, counters
            self.start()

    def run(self) -> None:
        self._over.wait(SETTLED_SECONDS)
        first = self._scheduled()
        while not self._over.wait(LOOK_SECONDS):
            # Plus the turn that begins every run. Appended turns are counted first, so a difference may be negative.
            appended, stored, unfolded = self._turns + 1, self._counters.stored(), self._counters.unfolded()
            self.unstored.append(max(0, appended - stored))
            self.unfolded.append(unfolded)
            ran, waited = (now - then for now, then in zip(self._scheduled(), first, strict=True))
            self.stretch = 1 + waited / ran if ran else 1.0

    def _scheduled(self) -> tuple[float, float]:
        ran, waited = (sum(scheduled(pid, field) for pid in self._worker.processes()) for field in (0, 1))
        return ran, waited

    def end(self) -> None:
        """Stop sampling."""
        self._over.set()


def checked(size: str, constants: Constants, seconds: float) -> dict[str, Any]:
    """Return predictions and measurements, a turn or in seconds, and each error as a share of what was measured."""
    backlog, rate = Backlog(), bearable_rate(constants)
    with places(["postgresql"]) as (place,):
        row = steady(
            place, size, conversations=CONVERSATIONS, a_second=rate, seconds=seconds, at_once=TURNS_A_FOLD,
            processes=1,
            environment={"TURNFOLD_FOLD_TURNS": str(TURNS_A_FOLD)}, watch=backlog.watch, last=backlog.end,
        )  # fmt: skip
    predicted = _predicted(constants, rate, backlog.stretch)
    rate = min(rate, row["appended"] / seconds)
    looks = len(backlog.unstored) * 2 / row["appended"]
    measured = {
        "workers, CPU ms": row["workers ms"], "PostgreSQL, CPU ms": row["postgresql ms"],
        "Redis, CPU ms": row["redis ms"],
        "Redis commands": row["redis commands a turn"],
        "commits": row["commits a turn"] - looks, "transaction ids": row["transaction ids a turn"],
        "WAL bytes": row["WAL bytes a turn"],
        "seconds until stored": mean(backlog.unstored) / rate, "seconds until folded": mean(backlog.unfolded) / rate,
    }  # fmt: skip
    return {
        "rate": rate, "seconds": seconds, "turns a fold": TURNS_A_FOLD, "conversations": CONVERSATIONS,
        "stretch": backlog.stretch,
        "rows": [
            {"quantity": name, "predicted": predicted[name], "measured": measured[name],
             "error": predicted[name] / measured[name] - 1 if measured[name] else 0.0}
            for name in measured
        ],
    }  # fmt: skip


def bearable_rate(constants: Constants) -> float:
    """Return the turns a second that use `WANTED_BUSY` of one process, on a machine as busy as it is now."""
    shape = TURNS_A_FOLD, TURNS_A_FOLD
    service = sum(constants.stages[stage].cost("service ms", *shape) for stage in ("store", "fold")) / 1_000
    stretch = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    return WANTED_BUSY / service / stretch


def _predicted(constants: Constants, rate: float, stretch: float) -> dict[str, float]:
    """Predict one process on all queues. Both stages wait for it, so their loads add up."""
    stages, shapes = constants.stages, {"append": (TURNS_A_FOLD, TURNS_A_FOLD)}
    pauses = {str(queue).rpartition(".")[2]: seconds for queue, seconds in pauses_of(1).items()}
    delay = {"store": pauses["ingest"] + LINGER_SECONDS, "fold": pauses["compress"] + LINGER_SECONDS}
    for stage, seconds in delay.items():
        shapes[stage] = TURNS_A_FOLD, max(TURNS_A_FOLD, rate * seconds)

    def cost(quantity: str, *some: str) -> float:
        return sum(stages[stage].cost(quantity, *shapes[stage]) for stage in some)

    def idle(quantity: str) -> float:
        return max(0.0, constants.idle[quantity]) / rate

    service = {stage: shapes[stage][1] * cost("service ms", stage) / 1_000 * stretch for stage in delay}
    tasks = {stage: rate / shapes[stage][1] for stage in delay}
    waits = _wait_of_both(stages, tasks, service)
    every = tuple(shapes)
    return {
        "workers, CPU ms": cost("own ms", "store", "fold") + idle("own ms"),
        "PostgreSQL, CPU ms": cost("postgresql ms", *every) + idle("postgresql ms"),
        "Redis, CPU ms": cost("redis ms", *every) + idle("redis ms"),
        "Redis commands": cost("redis commands", *every) + idle("redis commands"),
        "commits": cost("commits", *every) + idle("commits"),
        "transaction ids": cost("transaction ids", *every), "WAL bytes": cost("WAL bytes", *every),
        # Each turn waits for the linger, and one that arrives in a doorman's pause also for half of it on average.
        **{
            f"seconds until {name}": LINGER_SECONDS + _pausing(tasks[stage], delay[stage]) + waits + service[stage]
            for stage, name in (("store", "stored"), ("fold", "folded"))
        },
    }  # fmt: skip


def _pausing(tasks: float, delay: float) -> float:
    """Return the mean seconds that a turn waits because a message was sent a moment before."""
    pause = delay - LINGER_SECONDS
    return min(1.0, tasks * pause) * pause / 2


def predicted_anew(check: Mapping[str, Any], constants: Constants) -> dict[str, Any]:
    """Return the same run with the model's current predictions."""
    now = _predicted(constants, check["rate"], check["stretch"])
    rows = [{**row, "predicted": now[row["quantity"]]} for row in check["rows"]]
    return {**check, "rows": [
        {**row, "error": row["predicted"] / row["measured"] - 1 if row["measured"] else 0.0} for row in rows
    ]}  # fmt: skip


def _wait_of_both(stages: Any, tasks: dict[str, float], service: dict[str, float]) -> float:
    """Return the mean seconds until the process begins a task of either kind: M/G/1 with the mixture's moments."""
    arrivals = sum(tasks.values())
    first = sum(tasks[stage] * service[stage] for stage in tasks) / arrivals
    second = sum(tasks[stage] * service[stage] ** 2 * (1 + _variation(stages[stage])) for stage in tasks) / arrivals
    return waiting(arrivals, first, 1, second / first**2 - 1)


def _variation(stage: Stage) -> float:
    return stage.variation
