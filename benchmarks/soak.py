"""Soak a whole installation in waves for as long as there is time, and resume where it was stopped.

PYTHONPATH=tests nice python benchmarks/soak.py /tmp/turnfold-soak --minutes 60

Runs two Redis servers, PostgreSQL behind PgBouncer, and workers. Each wave appends to some conversations of every
tenant while two servers or workers are killed (kill -9), waits until all is folded, and compares the rows of each
conversation with those of an undisturbed fold in one process. Ctrl-C, SIGTERM or the time limit stops it; run again
with the same folder and sizes, it resumes with the unfinished wave. The exit code is 1 if any turn was lost, duplicated
or reordered or any row differs, and 2 if the soak was stopped.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import Any, Final

from support.chaos import FOUR_WORKERS
from support.pgbouncer import installed_pgbouncer
from support.soak import EVERY_STRIKE, SERVERS_ONLY, Shape, Soak, Stopped
from turnfold.contract.tasks import Queue

STOPPED: Final = 2
ONE_WORKER: Final = (("worker", tuple(Queue), 1),)
FAULTS: Final = ("lost", "doubled", "reordered", "unknown", "digests_differ")


def main() -> int:
    """Run the soak; print a line of JSON for each wave and one for the total."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of servers and state; made when it is missing")
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--conversations", type=int, default=20_000)
    parser.add_argument("--tenants", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60.0, help="until it stops, to be run again")
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--one-worker", action="store_true", help="one process for all queues in place of five")
    parser.add_argument("--spare-workers", action="store_true", help="kill servers alone, to see workers' memory")
    asked = parser.parse_args()

    shape = Shape(turns=asked.turns, conversations=asked.conversations, tenants=asked.tenants, seed=asked.seed)
    asked.folder.mkdir(parents=True, exist_ok=True)
    soak = Soak(
        asked.folder, shape,
        database="pgbouncer" if installed_pgbouncer() else "postgresql",
        workers=ONE_WORKER if asked.one_worker else FOUR_WORKERS,
        strikes=SERVERS_ONLY if asked.spare_workers else EVERY_STRIKE,
    )  # fmt: skip
    for number in (signal.SIGINT, signal.SIGTERM):
        # A shell makes its background processes ignore Ctrl-C.
        signal.signal(number, _stop)
    stopped = False
    try:
        soak.run(seconds=60 * asked.minutes, told=_print)
    except Stopped:
        stopped = True
    _print(totals(soak.rows, waves=soak.waves))
    if any(row[fault] for row in soak.rows for fault in FAULTS) or any(row["other"] for row in soak.rows):
        return 1
    return STOPPED if stopped else 0


def _stop(*_: object) -> None:
    raise Stopped


def totals(rows: list[dict[str, Any]], *, waves: int) -> dict[str, Any]:
    """Return the totals of all waves."""
    sums = {name: sum(row[name] for row in rows) for name in ("turns", "conversations", *FAULTS, "seconds")}
    kills: dict[str, int] = {}
    for row in rows:
        for kind, number in row["strikes"].items():
            kills[kind] = kills.get(kind, 0) + number
    memory = [(row["oldest_process_minutes"], row["oldest_process_mib"]) for row in rows]
    return {"waves": f"{len(rows)} of {waves}", **sums, "kills": kills, "minutes and MiB of the oldest process": memory}


def _print(row: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(row)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
