"""Measure the constants of `capacity.py`: the cost of a turn in each stage, with real workers, one stage at a time.

Turns go through in waves: some conversations get `k` turns each, then the storing worker runs, then the folding one.
The other worker is stopped meanwhile (SIGSTOP), so that the work of Redis and PostgreSQL belongs to one stage. Progress
is read from a worker's log, to keep PostgreSQL free of queries while it is measured.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import mean, pvariance
from typing import Any, Final, NamedTuple

import psutil
import redis
from bench import question
from databases import Place, places
from sqlalchemy import text
from steady import SIZES, Counters, Cpu, listening, port_of, turn
from steady import workers as steady_workers

from support.celery_workers import CeleryWorker
from turnfold import Turnfold
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold.settings import Settings

STAGES: Final = {"store": (Queue.INGEST, Queue.MAINTENANCE), "fold": (Queue.COMPRESS,)}
STORED: Final = re.compile(r"turnfold\.drain\[\S+ succeeded in ([\d.]+)s: '.*turns stored: (\d+)'")
FOLDED: Final = re.compile(r"turnfold\.compress\[\S+ succeeded in ([\d.]+)s: '.*conversations folded: ([\d, ]+);")
LONGEST_WAIT: Final = 120.0
POOL: Final = 24
"""Conversations that continue throughout, so that each fold finds an open tail with segments before it."""
READS: Final = 60
LOOKS: Final = 10
IDLE_SECONDS: Final = 12.0
Advance = Callable[[], None]


class Wave(NamedTuple):
    """Conversations that get `turns` each, `at_once` an append."""

    conversations: int
    turns: int
    at_once: int


class ScheduledCpu(Cpu):
    """CPU seconds of live processes with nanosecond resolution, from /proc/PID/task/TID/schedstat."""

    @staticmethod
    def _of(pid: int) -> float:
        if pid == os.getpid():
            return time.process_time()
        children = psutil.Process(pid).children(recursive=True)
        return sum(map(scheduled, [pid, *(child.pid for child in children)]))


def scheduled(pid: int, field: int = 0) -> float:
    """Return the seconds that a process's threads ran (0), or waited for a core while runnable (1)."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[field]) for task in tasks) / 1e9
    except FileNotFoundError:
        return 0.0


class Log:
    """A worker's new log lines since the last read."""

    def __init__(self, worker: CeleryWorker) -> None:
        self._path, self._read = worker.log, worker.log.stat().st_size

    def lines(self, pattern: re.Pattern[str]) -> list[tuple[float, str]]:
        """Return (seconds, what was done) of each task that ended."""
        with self._path.open("rb") as file:
            file.seek(self._read)
            whole, _, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + bool(whole)
        return [(float(seconds), done) for seconds, done in pattern.findall(whole.decode(errors="replace"))]


class Bench:
    """A database, a client, and a stopped worker for each stage."""

    def __init__(self, place: Place, size: str, folder: Path, stack: ExitStack) -> None:
        self.size, self._chance, self._number = size, random.Random(5), 0  # noqa: S311 - made talk, the same each time
        self.tf = stack.enter_context(
            Turnfold(settings=Settings(redis_url=place.redis_url, database_url=place.database_url))
        )
        self.counters = stack.enter_context(closing(Counters(place)))
        self.redis = stack.enter_context(redis.Redis.from_url(place.redis_url))
        self.admin = connect(place.database_url, write=True, timeout_seconds=60)
        stack.callback(self.admin.dispose)
        self.workers, roots = {}, {"own": os.getpid()}
        for stage, queues in STAGES.items():
            variables = {
                "TURNFOLD_REDIS_URL": place.redis_url, "TURNFOLD_DATABASE_URL": place.database_url,
                "TURNFOLD_STATE_DIR": str(folder), "TURNFOLD_FOLD_TURNS": "1",
                # A sweep every three seconds costs the same at any load, so it is no part of a turn's cost.
                "TURNFOLD_SWEEP_SECONDS": "60",
            }  # fmt: skip
            worker = CeleryWorker(f"capacity-{stage}", [str(queue) for queue in queues], variables, folder, anew=True)
            stack.callback(worker.kill)
            worker.start()
            worker.freeze()
            self.workers[stage] = worker
            roots[stage] = worker.pid or 0
        roots |= {"redis": listening(port_of(place.redis_url)), "postgresql": listening(port_of(place.database_url))}
        self.cpu = ScheduledCpu(roots)
        # The first reads open connections and fill caches.
        looks = [self.counted() for _ in range(2 * LOOKS + 1)][LOOKS:]
        self.of_a_look = {name: (looks[-1][name] - looks[0][name]) / LOOKS for name in looks[0]}

    def counted(self) -> dict[str, float]:
        """Return all totals so far: milliseconds of CPU, and the counters of the servers."""
        milliseconds = {f"{name} ms": 1_000 * seconds for name, seconds in self.cpu.seconds().items()}
        return {**milliseconds, **self.counters.read()}

    def inbox_bytes(self) -> float:
        """Return the bytes of the inboxes in Redis."""
        return float(
            sum(self.redis.memory_usage(key, samples=0) or 0 for key in self.redis.scan_iter("tf:*:in:*", count=1_000))
        )

    def made(self, wave: Wave) -> list[tuple[str, list[dict[str, str]]]]:
        """Return the turns of a wave, by the conversations that are next."""
        block = []
        for _ in range(wave.conversations):
            self._number += 1
            turns = [turn(self._chance, self._number * 64 + one, SIZES[self.size]) for one in range(wave.turns)]
            block.append((f"c{self._number % POOL}", turns))
        return block

    def append(self, block: Sequence[tuple[str, list[dict[str, str]]]], at_once: int) -> None:
        """Append `at_once` turns a call."""
        for name, turns in block:
            for first in range(0, len(turns), at_once):
                self.tf.append(name, turns[first : first + at_once])

    def run(self, stage: str, wanted: int) -> list[tuple[float, int]]:
        """Run a stage's worker until it has done `wanted` (turns, or folds); return (seconds, done) of its tasks."""
        worker, tasks = self.workers[stage], []
        pattern, deadline = STORED if stage == "store" else FOLDED, time.monotonic() + LONGEST_WAIT
        log = Log(worker)
        worker.thaw()
        while sum(done for _, done in tasks) < wanted:
            if time.monotonic() > deadline:
                msg = f"{stage}: {sum(done for _, done in tasks)} of {wanted} after {LONGEST_WAIT} s, see {worker.log}"
                raise RuntimeError(msg)
            time.sleep(0.01)
            tasks += [(s, int(d) if stage == "store" else d.count(",") + 1) for s, d in log.lines(pattern)]
        worker.freeze()
        return tasks


def shape(bench: Bench, wave: Wave, times: int, advance: Advance) -> dict[str, dict[str, Any]]:
    """Return the cost of a turn and the tasks of each stage, over some equal waves."""
    spent: dict[str, dict[str, float]] = {stage: defaultdict(float) for stage in ("append", *STAGES)}
    tasks: dict[str, list[tuple[float, int]]] = {stage: [] for stage in STAGES}
    turns = wave.conversations * wave.turns
    for _ in range(times):
        block = bench.made(wave)
        before = bench.counted()
        bench.append(block, wave.at_once)
        for stage in ("append", *STAGES):
            if stage in STAGES:
                tasks[stage] += bench.run(stage, turns if stage == "store" else wave.conversations)
            after = bench.counted()
            for name in after:
                spent[stage][name] += (after[name] - before[name] - bench.of_a_look[name]) / (turns * times)
            before = after
            if stage == "append":
                spent[stage]["redis bytes"] += bench.inbox_bytes() / (turns * times)
                before = bench.counted()
        advance()
    waited = {stage: sum(scheduled(process, 1) for process in bench.workers[stage].processes()) for stage in STAGES}
    ran = {stage: sum(scheduled(process) for process in bench.workers[stage].processes()) for stage in STAGES}
    rows: dict[str, dict[str, Any]] = {"append": {"group": wave.at_once, "task": wave.at_once, **_own(spent, "append")}}
    for stage, ended in tasks.items():
        seconds = [each for each, _ in ended]
        rows[stage] = {
            "group": wave.turns, "task": turns * times / len(ended), **_own(spent, stage),
            # Wall time, without the time that the worker waited for a core.
            "service ms": 1_000 * sum(seconds) / (turns * times) / (1 + waited[stage] / ran[stage]),
            "variation": pvariance(seconds) / mean(seconds) ** 2,
        }  # fmt: skip
    return rows


def _own(spent: Mapping[str, Mapping[str, float]], stage: str) -> dict[str, float]:
    """Return the costs of a stage: CPU of its own process, and the work that it causes on the servers."""
    own = stage if stage in STAGES else "own"
    kept = {name: cost for name, cost in spent[stage].items() if name.split()[0] not in {"own", *STAGES}}
    return {"own ms": spent[stage][f"{own} ms"], **kept}


def statements(bench: Bench, wave: Wave) -> dict[str, float]:
    """Count statements a turn by stage, BEGIN and COMMIT included, in PostgreSQL's log during a separate wave."""
    with bench.admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        log = Path(str(connection.scalar(text("SHOW data_directory")))).parent / "postgresql.log"
        try:
            _log_statements(connection, "all")
            bench.append(bench.made(wave), wave.at_once)
            turns, counts = wave.conversations * wave.turns, {}
            for stage in STAGES:
                begun = log.stat().st_size
                bench.run(stage, turns if stage == "store" else wave.conversations)
                said = log.read_bytes()[begun:].decode(errors="replace")
                counts[stage] = len(re.findall(r"LOG:  (?:statement|execute [^:]*): ", said)) / turns
        finally:
            _log_statements(connection, "none")
    return counts


def _log_statements(connection: Any, which: str) -> None:
    connection.execute(text(f"ALTER SYSTEM SET log_statement = '{which}'"))
    connection.execute(text("SELECT pg_reload_conf()"))
    time.sleep(0.2)  # until each session has reloaded the setting


def read_costs(bench: Bench) -> dict[str, float]:
    """Return the cost of a context of 4,000 tokens: half of them cold, half with a question after a read."""
    reader = bench.tf._resources.reader()  # noqa: SLF001 - a process that has not read the conversation is played by forgetting
    before = bench.counted()
    for number in range(READS):
        reader.forget_parsed()
        bench.tf.context(f"c{number % POOL}", budget_tokens=4_000)
        bench.tf.context(f"c{number % POOL}", budget_tokens=4_000, query=question(number))
    after = bench.counted()
    return _own({"read": {name: (after[name] - before[name]) / (2 * READS) for name in after}}, "read")


def measured(size: str, turns_a_fold: tuple[int, ...], advance: Advance) -> dict[str, Any]:
    """Return the points of all stages for one size of turn, and the bytes of SQL a turn."""
    points: dict[str, list[dict[str, Any]]] = {"append": [], "store": [], "fold": [], "read": []}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="turnfold-", ignore_cleanup_errors=True))
        (place,) = stack.enter_context(places(["postgresql"]))
        bench = Bench(place, size, Path(folder), stack)
        shape(bench, Wave(POOL, 8, 8), 2, lambda: None)  # warm up: one-time work of a process does not count
        begun, turns = _database_bytes(bench), bench.counters.stored()
        for k in turns_a_fold:
            for wave, times in waves(k):
                counts = statements(bench, wave)
                for stage, row in shape(bench, wave, times, advance).items():
                    points[stage].append({**row, **({"statements": counts[stage]} if stage in counts else {})})
        grown = (_database_bytes(bench) - begun) / (bench.counters.stored() - turns)
        points["read"].append({"group": 1, "task": 1, **read_costs(bench)})
        idle = idle_costs(place, Path(folder), bench)
    return {"points": points, "sql bytes": grown, "idle a second": idle}


def idle_costs(place: Place, folder: Path, bench: Bench) -> dict[str, float]:
    """Return the cost of an idle second of a worker with all queues: sweeps, and listening."""
    with contextmanager(steady_workers)(place, folder, 1, {}) as worker:
        time.sleep(IDLE_SECONDS / 4)
        cpu = ScheduledCpu({"own": worker.pid or 0, "postgresql": listening(port_of(place.database_url)),
                            "redis": listening(port_of(place.redis_url))})  # fmt: skip

        def counted() -> dict[str, float]:
            spent = {f"{name} ms": 1_000 * seconds for name, seconds in cpu.seconds().items()}
            return {**spent, **bench.counters.read()}

        before = counted()
        time.sleep(IDLE_SECONDS)
        after = counted()
    return {name: (after[name] - before[name]) / IDLE_SECONDS for name in after}


def waves(k: int) -> list[tuple[Wave, int]]:
    """Return waves with few conversations at once, as in a quiet hour, and with many, as behind a backlog."""
    return [(Wave(1, k, k), 8), (Wave(6, k, 1), 4), (Wave(POOL, k, 1), 2)]


WAVES: Final = 14
"""Waves for each number of turns a fold."""


def _database_bytes(bench: Bench) -> int:
    with bench.admin.begin() as connection:
        connection.execute(text("CHECKPOINT"))
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
