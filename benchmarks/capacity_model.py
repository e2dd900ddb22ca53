"""What a load takes and how long it waits: pure arithmetic over constants that `capacity.py` measures.

Costs. A stage's cost of a turn is `a + b / g + c / t`: so much for a turn, for the group of `g` turns of a conversation
that are handled together (an append, what a drain stores of an inbox, a fold), and for the task of `t` turns that
brings the group (a Celery message, a transaction). `fit` finds a, b, c >= 0 of least relative squared error.

Batches. A doorman waits `LINGER` after a ring and publishes again after a pause, so that a task holds what arrives
meanwhile: `t = max(g, rate of its host * (linger + pause))`, at most `most_turns_a_task`.

Waiting. `c` processes that serve tasks in the order of arrival are an M/G/c queue, in the approximation of Allen and
Cunneen: `Wq = C(c, a) / (c / s - rate) * (ca2 + cs2) / 2`, where `s` is the mean service time, `a = rate * s` the load
in Erlang, `ca2` and `cs2` the squared coefficients of variation between arrivals and of service, and `C` Erlang's
formula for the probability to wait (A. K. Erlang, 1917). With one process it is Pollaczek's and Khinchine's, which is
exact. (A. O. Allen, Probability, Statistics, and Queueing Theory with Computer Science Applications, 2nd edition,
Academic Press, 1990.) Tasks put together what came before them, so arrivals are taken for no burstier than Poisson's:
`ca2 = 1`.
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
    """What a turn costs: for itself, for its group, for its task."""

    turn: float
    group: float
    task: float

    def at(self, turns_a_group: float, turns_a_task: float) -> float:
        """The cost of one turn."""
        return self.turn + self.group / turns_a_group + self.task / turns_a_task


class Point(NamedTuple):
    """One measurement: what a turn cost where so many were handled together."""

    turns_a_group: float
    turns_a_task: float
    cost: float


def fit(points: Sequence[Point]) -> Law:
    """The law without negative parts that has the least sum of squared relative errors; of none: all zero."""
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
    """Solve the normal equations by elimination; None where the columns are (nearly) dependent."""
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
    """The probability that a customer waits, in an M/M/c queue of `load` Erlang; 1 where it never ends."""
    if load >= servers:
        return 1.0
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    busy = load / servers
    return blocked / (1 - busy * (1 - blocked))


def waiting(arrivals: float, service: float, servers: int, variation: float = 1.0) -> float:
    """Mean seconds until a task begins, at `arrivals` a second; infinite from full utilisation on.

    `service` is in seconds, `variation` the squared coefficient of variation of service.
    """
    load = arrivals * service
    if load >= servers:
        return math.inf
    return erlang_c(servers, load) * service / (servers - load) * (1 + variation) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stage of workers: the laws of its quantities by name, and how its tasks come."""

    laws: Mapping[str, Law]
    """`own ms` and `service ms` (by the clock of an idle machine) are milliseconds; the others as they are called."""
    pause: float
    """Seconds over which a host puts together what arrives."""
    most_turns_a_task: float
    variation: float = 1.0

    def cost(self, quantity: str, turns_a_group: float, turns_a_task: float) -> float:
        """Of one turn; 0 of what was not measured."""
        law = self.laws.get(quantity)
        return law.at(turns_a_group, turns_a_task) if law else 0.0

    def turns_a_task(self, rate: float, hosts: int, turns_a_group: float) -> float:
        """What a task holds at `rate` turns a second over so many hosts."""
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
    """The fewest processes that `rate` turns a second keep busy at most `BUSY` of the time, over their hosts.

    More hosts put together less, and a turn costs more: so the least number of hosts is looked for that holds the
    processes that so many hosts need. What a number needs bounds from below what a greater one does.
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
