"""Measure the cost of a turn in steady state: real Celery workers, turns one or two at a time, CPU by process.

`make bench BENCH_ARGS=--steady` runs it on SQLite and PostgreSQL, for chats of short turns (S, 136 bytes) and of long
ones (L, 2.2 KB). Costs are CPU milliseconds a turn, of the producer, the workers, PostgreSQL and Redis, from `/proc`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any, Final

import psutil
import redis
from databases import Place, machine, places
from performance_document import markdown
from sqlalchemy import text as sql

from support.celery_workers import CeleryWorker
from turnfold import Turnfold
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold.settings import Settings

SIZES: Final = {"S": 136, "L": 2_200}
"""Approximate bytes of a turn."""
_SUBJECTS: Final = ("seat map", "refund page", "login job", "report api", "parking form", "invoice queue")
_TALK: Final = (
    "we looked at it together and found that most visitors leave before the second step is shown, which may have "
    "to do with how the page loads on older phones; the team wants to try a shorter form next, and to ask three people "
    "what they expected to see there"
)
_LONGEST_WAIT: Final = 300.0


def turn(chance: random.Random, number: int, size: int) -> dict[str, str]:
    """Make a turn of about `size` bytes with a fact in it."""
    subject = chance.choice(_SUBJECTS)
    said = f"The {subject} takes {chance.randrange(5, 900)} ms for customer {number}."
    while len(said) < size - 20:
        words = chance.sample(_TALK.split(), 9)
        said += f" {' '.join(words).capitalize()}."
    return {"role": "assistant" if number % 2 else "user", "content": said[:size]}


class Cpu:
    """CPU seconds of processes by name, including children that ended."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self._roots = roots

    def seconds(self) -> dict[str, float]:
        """Return the CPU seconds of each process since its start."""
        return {name: self._of(pid) for name, pid in self._roots.items()}

    @staticmethod
    def _of(pid: int) -> float:
        root = psutil.Process(pid)
        own = root.cpu_times()
        found = own.user + own.system + own.children_user + own.children_system
        for child in root.children(recursive=True) if pid != os.getpid() else ():
            with suppress(psutil.NoSuchProcess):
                times = child.cpu_times()
                found += times.user + times.system
        return found


def listening(port: int) -> int:
    """Return the id of the process that listens on a local port, the parent of its family."""
    for one in psutil.net_connections("tcp"):
        if one.laddr and one.laddr.port == port and one.status == psutil.CONN_LISTEN and one.pid is not None:
            return one.pid
    msg = f"nothing listens on port {port}"
    raise RuntimeError(msg)


def port_of(url: str) -> int:
    """Return the port in a URL."""
    return int(url.rsplit(":", 1)[1].split("/", maxsplit=1)[0])


class Counters:
    """Counters of a database and of Redis."""

    def __init__(self, place: Place) -> None:
        self._engine = connect(place.database_url, write=False, timeout_seconds=60)
        self._redis = redis.Redis.from_url(place.redis_url)
        self._is_postgresql = self._engine.dialect.name == "postgresql"

    def read(self) -> dict[str, float]:
        """Return Redis's commands, and PostgreSQL's commits, transaction ids and bytes of WAL."""
        found = {"redis commands": float(self._redis.info("stats")["total_commands_processed"])}  # type: ignore[index]
        if self._is_postgresql:
            with self._engine.begin() as connection:
                row = connection.execute(
                    sql(
                        "SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) commits,"
                        " pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS ids,"
                        " pg_current_wal_lsn() - '0/0'::pg_lsn AS wal"
                    )
                ).one()
            found |= {"commits": float(row.commits), "transaction ids": float(row.ids), "WAL bytes": float(row.wal)}
        return found

    def unfolded(self) -> int:
        """Return the number of stored turns that are not folded."""
        with self._engine.begin() as connection:
            return int(connection.scalar(sql("SELECT COALESCE(SUM(turn_count - fold_seq), 0) FROM conversation")) or 0)

    def stored(self) -> int:
        """Return the number of turns in SQL."""
        with self._engine.begin() as connection:
            return int(connection.scalar(sql("SELECT COALESCE(SUM(turn_count), 0) FROM conversation")) or 0)

    def close(self) -> None:
        self._redis.close()
        self._engine.dispose()


Watch = Callable[[CeleryWorker, Counters, int], None]


def no_watch(*_: object) -> None:
    """Ignore the call."""


def workers(place: Place, folder: Path, processes: int, environment: Mapping[str, str]) -> Iterator[CeleryWorker]:
    """Start workers of all queues except that of refining."""
    queues = [str(queue) for queue in Queue if queue is not Queue.REFINE]
    variables = {
        "TURNFOLD_REDIS_URL": place.redis_url, "TURNFOLD_DATABASE_URL": place.database_url,
        "TURNFOLD_STATE_DIR": str(folder), **environment,
    }  # fmt: skip
    worker = CeleryWorker(f"steady-{place.name}", queues, variables, folder, children=processes, anew=True)
    worker.start()
    try:
        yield worker
    finally:
        worker.kill()


def steady(  # noqa: PLR0913 - what a run is made of, all by name
    place: Place, size: str, *, conversations: int, a_second: float, seconds: float, at_once: int, processes: int,
    environment: Mapping[str, str], watch: Watch = no_watch, last: Callable[[], None] = no_watch,
) -> dict[str, Any]:  # fmt: skip
    """Append `at_once` turns at a time to one conversation after the other, at a rate, until the time is over.

    `watch` is called after each append with the worker, the counters and the number of appended turns, `last` after
    the last append.
    """
    chance = random.Random(11)  # noqa: S311 - made talk, the same at every run
    # Made in advance, to keep its CPU time out of the measurement.
    most = int(seconds * a_second) + 2 * at_once
    talk = [turn(chance, number, SIZES[size]) for number in range(most)]
    settings = Settings(redis_url=place.redis_url, database_url=place.database_url, tenant="steady")
    with (
        tempfile.TemporaryDirectory(prefix="turnfold-steady-", ignore_cleanup_errors=True) as folder,
        closing(Counters(place)) as counters,
        Turnfold(settings=settings) as tf,
    ):
        running = workers(place, Path(folder), processes, environment)
        worker = next(running)
        try:
            roots = {"producer": os.getpid(), "workers": worker.pid or 0, "redis": listening(port_of(place.redis_url))}
            if counters.read().get("commits") is not None:
                roots["postgresql"] = listening(port_of(place.database_url))
            cpu = Cpu(roots)
            tf.append("warm", talk[0])
            tf.wait("warm", timeout_seconds=60)
            spent, counted, begun = cpu.seconds(), counters.read(), time.perf_counter()
            turns = 0
            while (passed := time.perf_counter() - begun) < seconds and turns + at_once <= most:
                number = turns // at_once
                tf.append(f"s-{number % conversations}", talk[turns : turns + at_once])
                turns += at_once
                watch(worker, counters, turns)
                time.sleep(max(0.0, turns / a_second - passed))
            last()
            ended = time.perf_counter()
            while (counters.stored() <= turns or counters.unfolded()) and time.perf_counter() - ended < _LONGEST_WAIT:
                time.sleep(0.5)
            total = time.perf_counter() - begun
            after, seen = cpu.seconds(), counters.read()
        finally:
            running.close()  # type: ignore[attr-defined]
    by_process = {name: 1_000 * (after[name] - spent[name]) / turns for name in after}
    return {
        "database": place.name, "turns": size, "appended": turns, "conversations": conversations,
        "turns/s": round(turns / total, 1), "CPU ms a turn": round(sum(by_process.values()), 2),
        **{f"{name} ms": round(spent, 2) for name, spent in by_process.items()},
        **{f"{name} a turn": round((seen[name] - counted[name]) / turns, 2) for name in seen},
    }  # fmt: skip


def document(rows: Sequence[Mapping[str, Any]], where: Mapping[str, str]) -> str:
    """Return the text of docs/lab/performance-steady.md."""
    return f"""# What a turn costs when turns come one by one

Written by `make bench BENCH_ARGS=--steady`: {where["processor"]}, {where["cores"]} cores, load {where["load"]}, Python
{where["python"]}, {where["system"]}. Two worker processes, one turn an append; S are turns of {SIZES["S"]} bytes, L of
{SIZES["L"]:,}. CPU milliseconds a turn are of all processes, from `/proc`: without the start of the workers, with the
folds of what waited at the end. `fold turns` is `TURNFOLD_FOLD_TURNS`: 1 folds each turn at once.

{markdown(rows)}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each database and size with folds of one turn and of more, and write docs/lab/performance-steady.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steady", action="store_true", help="given by `make bench`; says nothing here")
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"], choices=["sqlite", "postgresql"])
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--fold-turns", nargs="+", type=int, default=[1, 8])
    parser.add_argument(
        "--fold-idle-seconds",
        type=float,
        default=30.0,
        help="shorter than by default: what waits at the end counts too",
    )
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--rate", type=float, default=40.0, help="turns a second")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--at-once", type=int, default=1, help="turns an append")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="folder that the document is written to")
    chosen = parser.parse_args(arguments)
    rows = []
    for size, name, fold_turns in product(chosen.sizes, chosen.databases, chosen.fold_turns):
        with places([name]) as (place,):
            row = steady(
                place, size, conversations=chosen.conversations, a_second=chosen.rate, seconds=chosen.seconds,
                at_once=chosen.at_once, processes=chosen.processes,
                environment={
                    "TURNFOLD_FOLD_TURNS": str(fold_turns), "TURNFOLD_FOLD_IDLE_SECONDS": str(chosen.fold_idle_seconds),
                },
            )  # fmt: skip
        rows.append({"fold turns": fold_turns, **row})
        print(json.dumps(rows[-1]), flush=True)
    if chosen.out:
        names = list(dict.fromkeys(name for row in rows for name in row))
        full = [{name: row.get(name, "–") for name in names} for row in rows]
        (chosen.out / "lab" / "performance-steady.md").write_text(document(full, machine()))


if __name__ == "__main__":
    main()
