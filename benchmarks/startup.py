"""Measure the start-up times that people wait for, compared with `import celery` in the same run.

python benchmarks/startup.py             a table: minimum and median of 10 fresh processes each, in seconds
python benchmarks/startup.py --runs 30   on a busy machine: compare minima, and CPU rather than wall time

The processes of a run alternate, so that other load on the machine affects all of them. Needs a Redis server.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from support.places import NEW_LAYOUT
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import build

_CLIENT: Final = "import os; from turnfold import Turnfold; tf = Turnfold.from_env(); "
_READ: Final = "tf.context('startup', budget_tokens=2_000, query='database')"
_TIMED: Final = "import time; since = time.perf_counter(); {}; print(time.perf_counter() - since)"

PROGRAMS: Final = {
    "python": "pass",
    "import celery, its application": "import celery; celery.Celery",
    "import turnfold": "import turnfold",
    "turnfold --help": "from turnfold_worker.cli import main; main(['--help'])",
    "the tasks, as beat and Flower import them": "import turnfold_worker.celery_app, turnfold_worker.tasks",
    "a worker's code": "import turnfold_worker.wiring",
    "what a worker loads before it forks": (
        "import turnfold_worker.tasks; from turnfold_worker.celery_parts.preload import load; "
        "load({'turnfold.ingest', 'turnfold.compress'})"
    ),
}
"""Programs of fresh processes, timed as a whole."""
READS: Final = {
    "first context of a process": _CLIENT + _TIMED.format(_READ),
    "first context after warm_up": _CLIENT + "tf.warm_up(); " + _TIMED.format(_READ),
    "warm_up": _CLIENT + _TIMED.format("tf.warm_up()"),
}
"""Programs of fresh processes that time a part of themselves."""


def main() -> None:
    """Start every program repeatedly and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="fresh processes of each")
    runs = parser.parse_args().runs
    wall: dict[str, list[float]] = {name: [] for name in (*PROGRAMS, *READS)}
    cpu: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with TemporaryDirectory(prefix="turnfold-") as folder, RedisServer(Path(folder) / "redis") as server:
        database = f"sqlite:///{folder}/turnfold.db"
        migrate.upgrade(database)
        _fold_example(server.url, database)
        environment = {
            **os.environ, "TURNFOLD_REDIS_URL": server.url, "TURNFOLD_DATABASE_URL": database, "TURNFOLD_DOORBELL": "0",
        }  # fmt: skip
        # Run once unmeasured, to write bytecode and to fill the page cache.
        for _ in range(runs + 1):
            for name, program in PROGRAMS.items():
                seconds, of_cpu = _run(program, environment)
                wall[name].append(seconds)
                cpu[name].append(of_cpu)
            for name, program in READS.items():
                wall[name].append(_own_seconds(program, environment))
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    print("\n| what starts | minimum s | median s | CPU s, minimum |\n|---|--:|--:|--:|")
    for name, seconds in wall.items():
        of_cpu = f"{min(cpu[name][1:]):.3f}" if name in cpu else "–"
        print(f"| {name} | {min(seconds[1:]):.3f} | {median(seconds[1:]):.3f} | {of_cpu} |")


def _fold_example(redis_url: str, database_url: str) -> None:
    """Store and fold the conversation for the contexts."""
    text = (Path(__file__).parents[1] / "examples" / "product-discussion.jsonl").read_text(encoding="utf-8")
    with Turnfold(redis_url=redis_url, database_url=database_url, doorbell=False) as tf:
        tf.append("startup", [json.loads(line) for line in text.splitlines()])
        settings = WorkerSettings(redis_url=redis_url, database_url=database_url)
        worker = build(settings)
        worker.drain(NEW_LAYOUT.shard_at(Address(tf.tenant, "startup").point))
        worker.compress(1)
        if not tf.status("startup").segments:
            msg = "the example was not folded"
            raise SystemExit(msg)


def _run(program: str, environment: dict[str, str]) -> tuple[float, float]:
    """Return wall and CPU seconds of a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    since = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603 - ours
    seconds = time.perf_counter() - since
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _own_seconds(program: str, environment: dict[str, str]) -> float:
    """Return the seconds that a fresh process reports."""
    run = subprocess.run([sys.executable, "-c", program], check=True, env=environment, capture_output=True, text=True)  # noqa: S603 - ours
    return float(run.stdout)


if __name__ == "__main__":
    main()
