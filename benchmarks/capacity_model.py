"""Predict the costs and waiting times of a load, by pure arithmetic over constants that `capacity.py` measures.

Costs. A stage's cost of a turn is `a + b / g + c / t`: a share for the turn, one for the group of `g` turns of a
conversation that are handled together (an append, an inbox's turns in a drain, a fold), and one for the task of `t`
turns that handles the group (a Celery message, a transaction). `fit` finds a, b, c >= 0 with the least relative squared
error.

Batches. A doorman waits `LINGER` after a ring and publishes again after a pause, so that a task handles whatever
arrives meanwhile: `t = max(g, rate of its host * (linger + pause))`, at most `most_turns_a_task`.

Waiting. `c` processes that serve tasks in the order of arrival are an M/G/c queue, in the approximation of Allen and
Cunneen: `Wq = C(c, a) / (c / s - rate) * (ca2 + cs2) / 2`, where `s` is the mean service time, `a = rate * s` the load
in Erlang, `ca2` and `cs2` the squared coefficients of variation of the times between arrivals and of service, and `C`
Erlang's formula for the probability of waiting (A. K. Erlang, 1917). For one process it is the formula of Pollaczek and
Khinchine, which is exact. (A. O. Allen, Probability, Statistics, and Queueing Theory with Computer Science
Applications, 2nd edition, Academic Press, 1990.) Tasks combine what arrived before them, so arrivals are assumed to be
no burstier than a Poisson process: `ca2 = 1`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

DAY: Final = 86_400
BUSY: Final = 0.7
"""Utilisation at which processes are added."""


class Law(NamedTuple):
    """Parts of a turn's cost: for itself, for its group, for its task."""

    turn: float
    group: float
    task: float

    def at(self, turns_a_group: float, turns_a_task: float) -> float:
        """Return the cost of one turn."""
        return self.turn + self.group / turns_a_group + self.task / turns_a_task


class Point(NamedTuple):
    """One measurement: the cost of a turn at some sizes of group and task."""

    turns_a_group: float
    turns_a_task: float
    cost: float


def fit(points: Sequence[Point]) -> Law:
    """Return the non-negative law with the least sum of squared relative errors; all zero without points."""
    best, least = Law(0.0, 0.0, 0.0), math.inf
    weighted = [(_terms(point), 1 / max(abs(point.cost), 1e-9), point.cost) for point in points]
    for size in (1, 2, 3):
        for chosen in combinations(range(3), size):
            rows = [[terms[i] * weight for i in chosen] for terms, weight, _ in weighted]
            parts = _least_squares(rows, [cost * weight for _, weight, cost in weighted])
            if parts is None or min(parts) < 0:
                continue
            law = Law(*(parts[chosen.index(i)] if i in chosen else 0.0 for i in range(3)))
            error = sum((weight * (law.at(p.turns_a_group, p.turns_a_task) - p.cost)) ** 2
                        for (_, weight, _), p in zip(weighted, points, strict=True))  # fmt: skip
            if error < least - 1e-12:
                best, least = law, error
    return best


def _terms(point: Point) -> tuple[float, float, float]:
    return 1.0, 1 / point.turns_a_group, 1 / point.turns_a_task


def _least_squares(rows: Sequence[Sequence[float]], wanted: Sequence[float]) -> list[float] | None:
    """Solve the normal equations by elimination; return None if the columns are (nearly) dependent."""
    width = len(rows[0]) if rows else 0
    square = [
        [sum(row[i] * row[j] for row in rows) for j in range(width)]
        + [sum(row[i] * want for row, want in zip(rows, wanted, strict=True))]
        for i in range(width)
    ]
    for i in range(width):
        pivot = max(range(i, width), key=lambda r: abs(square[r][i]))
        square[i], square[pivot] = square[pivot], square[i]
        if abs(square[i][i]) < 1e-9 * max(1.0, *(abs(cell) for cell in square[i][:-1])):
            return None
        for other in range(width):
            if other != i:
                factor = square[other][i] / square[i][i]
                square[other] = [cell - factor * of for cell, of in zip(square[other], square[i], strict=True)]
    return [square[i][-1] / square[i][i] for i in range(width)] if width else None


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that a customer waits in an M/M/c queue of `load` Erlang; 1 if the queue only grows."""
    if load >= servers:
        return 1.0
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    busy = load / servers
    return blocked / (1 - busy * (1 - blocked))


def waiting(arrivals: float, service: float, servers: int, variation: float = 1.0) -> float:
    """Return the mean seconds until a task begins, at `arrivals` a second; infinite from full utilisation on.

    `service` is in seconds, `variation` the squared coefficient of variation of service.
    """
    load = arrivals * service
    if load >= servers:
        return math.inf
    return erlang_c(servers, load) * service / (servers - load) * (1 + variation) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stage of workers: the laws of its quantities by name, and the arrival of its tasks."""

    laws: Mapping[str, Law]
    """Laws by quantity; `own ms` and `service ms` (wall time on an idle machine) are milliseconds."""
    pause: float
    """Seconds over which a host collects arrivals."""
    most_turns_a_task: float
    variation: float = 1.0

    def cost(self, quantity: str, turns_a_group: float, turns_a_task: float) -> float:
        """Return the cost of one turn; 0 for a quantity that was not measured."""
        law = self.laws.get(quantity)
        return law.at(turns_a_group, turns_a_task) if law else 0.0

    def turns_a_task(self, rate: float, hosts: int, turns_a_group: float) -> float:
        """Return the turns of a task at `rate` turns a second over the hosts."""
        return min(max(turns_a_group, rate / hosts * self.pause), max(self.most_turns_a_task, turns_a_group))


class Staffing(NamedTuple):
    """Workers of a stage at a rate."""

    processes: int
    utilisation: float
    wait: float
    """Mean seconds until a task begins."""
    service: float
    """Seconds of a task."""
    turns_a_task: float


def staff(stage: Stage, rate: float, turns_a_group: float, *, processes_a_host: int = 8) -> Staffing:
    """Return the fewest processes that `rate` turns a second keep busy at most `BUSY` of the time, over their hosts.

    More hosts collect fewer turns in a task, which makes a turn cost more. The search finds the smallest number of
    hosts that can run the processes that this number needs; the need at one number is a lower bound for that at any
    larger one.
    """
    hosts = 1
    while True:
        turns = stage.turns_a_task(rate, hosts, turns_a_group)
        service = turns * stage.cost("service ms", turns_a_group, turns) / 1_000
        arrivals = rate / turns
        processes = max(1, math.ceil(arrivals * service / BUSY))
        if processes <= hosts * processes_a_host:
            wait = waiting(arrivals, service, processes, stage.variation)
            return Staffing(processes, arrivals * service / processes, wait, service, turns)
        hosts = math.ceil(processes / processes_a_host)
