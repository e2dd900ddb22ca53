"""Append more turns a second to one conversation than people type, and measure storing, folding and reads meanwhile.

PYTHONPATH=tests python benchmarks/hot_conversation.py --rate 1000 --seconds 300 --out hot.json

Uses real Celery workers on PostgreSQL and Redis. A conversation of 1,000 turns is read five times a second, first on an
idle system, then while the hot conversation grows; the hot one is read as well. After the last append, the time until
all is stored and until all is folded is measured. Ends with the number of turns that the hot conversation's context
represents. Choose a rate that the machine's cores can sustain: folding uses one core, some 5 ms for a short turn, and
the backlog is folded afterwards.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from databases import machine, places
from rich.progress import Progress
from steady import SIZES, Counters, turn, workers

from turnfold import Turnfold
from turnfold.settings import Settings

HOT: Final = "hot"
BESIDE: Final = "beside"
BESIDE_TURNS: Final = 1_000
READS_A_SECOND: Final = 5
LONGEST_WAIT: Final = 1_200.0


class Reads(threading.Thread):
    """Reads a conversation repeatedly without its cache of parsed rows, as a new process would."""

    def __init__(self, settings: Settings, name: str) -> None:
        super().__init__(daemon=True)
        self._settings, self._conversation, self._over = settings, name, threading.Event()
        self.milliseconds: list[float] = []
        self.worked: list[float] = []
        """CPU milliseconds of this thread, without other load on the machine or the work of the servers."""

    def run(self) -> None:
        with Turnfold(settings=self._settings) as tf:
            reader = tf._resources.reader()  # noqa: SLF001 - a new process is played by forgetting
            while not self._over.wait(1 / READS_A_SECOND):
                reader.forget_parsed()
                begun, began = time.perf_counter(), time.thread_time()
                tf.context(self._conversation, budget_tokens=4_000)
                self.worked.append(1_000 * (time.thread_time() - began))
                self.milliseconds.append(1_000 * (time.perf_counter() - begun))

    def ended(self) -> dict[str, float]:
        """Stop; return the number of reads, and p50 and p99 of wall and CPU milliseconds."""
        self._over.set()
        self.join()
        shares = {"p50": 0.5, "p99": 0.99}
        return {"reads": len(self.worked)} | {
            f"{name} {unit}": round(sorted(each)[int(share * len(each))], 1)
            for unit, each in (("ms", self.milliseconds), ("CPU ms", self.worked)) for name, share in shares.items()
        }  # fmt: skip


def appended(
    tf: Turnfold, counters: Counters, chosen: argparse.Namespace, say: Callable[[int], None]
) -> dict[str, Any]:
    """Append at the rate; return turns appended and stored a second meanwhile, and the longest backlog."""
    chance, begun, turns, backlog, look = random.Random(2), time.perf_counter(), 0, 0, 0.0  # noqa: S311 - made talk
    before = counters.stored()
    while (passed := time.perf_counter() - begun) < chosen.seconds:
        due = min(int(passed * chosen.rate) - turns, chosen.at_once)
        if due < min(chosen.at_once, chosen.rate / 20):
            time.sleep(0.005)
            continue
        tf.append(HOT, [turn(chance, turns + one, SIZES[chosen.size]) for one in range(due)])
        turns += due
        if passed > look:
            look = passed + 1
            backlog = max(backlog, turns - (counters.stored() - before))
            say(turns)
    stored = counters.stored() - before
    return {"appended": turns, "appended a second": round(turns / passed, 1),
            "stored a second meanwhile": round(stored / passed, 1), "most turns not stored": backlog}  # fmt: skip


def waited(until: Callable[[], bool]) -> float:
    """Return the seconds until a condition is true. Raises `TimeoutError` after twenty minutes."""
    begun = time.perf_counter()
    while not until():
        if time.perf_counter() - begun > LONGEST_WAIT:
            raise TimeoutError
        time.sleep(0.2)
    return round(time.perf_counter() - begun, 1)


def represented(tf: Turnfold, turns: int) -> dict[str, int]:
    """Return the number of turns that a context shows or covers by a marker, and of all turns."""
    coverage = tf.context(HOT, budget_tokens=4_000).coverage
    covered = {seq for span in (coverage.spans if coverage else ()) for seq in range(span.first_seq, span.last_seq + 1)}
    return {"represented": len(covered & set(range(1, turns + 1))), "of": turns}


def run(chosen: argparse.Namespace, progress: Progress) -> Mapping[str, Any]:
    """Run the whole benchmark."""
    task = progress.add_task("appending", total=int(chosen.rate * chosen.seconds))
    with (
        places(["postgresql"]) as (place,),
        tempfile.TemporaryDirectory(prefix="turnfold-hot-", ignore_cleanup_errors=True) as folder,
        closing(Counters(place)) as counters,
        Turnfold(settings=Settings(redis_url=place.redis_url, database_url=place.database_url)) as tf,
        closing(workers(place, Path(folder), chosen.processes, {})) as running,
    ):
        next(running)
        chance = random.Random(1)  # noqa: S311 - made talk
        tf.append(BESIDE, [turn(chance, number, SIZES[chosen.size]) for number in range(BESIDE_TURNS)])
        tf.wait(BESIDE, timeout_seconds=300)
        settings = Settings(redis_url=place.redis_url, database_url=place.database_url)
        reads = {}
        for when in ("before", "meanwhile"):
            names = (BESIDE,) if when == "before" else (BESIDE, HOT)
            readers = {name: Reads(settings, name) for name in names}
            for reader in readers.values():
                reader.start()
            if when == "before":
                time.sleep(chosen.quiet_seconds)
            else:
                rates = appended(tf, counters, chosen, lambda turns: progress.update(task, completed=turns))
            reads |= {f"{when}, {name}": reader.ended() for name, reader in readers.items()}
        until_stored = waited(lambda: counters.stored() >= rates["appended"] + BESIDE_TURNS)
        until_folded = until_stored + waited(lambda: counters.unfolded() == 0 or _only_idle(tf))
        shown = represented(tf, rates["appended"])
    return {
        **rates,
        "reads": reads,
        "seconds until stored": until_stored,
        "seconds until folded": until_folded,
        **shown,
    }


def _only_idle(tf: Turnfold) -> bool:
    """Return whether only turns are left that wait for more: fewer than eight."""
    status = tf.status(HOT)
    return status.stored - status.folded < 8  # TURNFOLD_FOLD_TURNS


def main() -> None:
    """Run the benchmark and print its measurements as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=100.0, help="turns a second")
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--quiet-seconds", type=float, default=60.0, help="of reads before anything is appended")
    parser.add_argument("--at-once", type=int, default=50, help="turns an append, at most")
    parser.add_argument("--size", default="S", choices=SIZES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON file for what was measured and the machine")
    chosen = parser.parse_args()
    with Progress() as progress:
        row = {"rate": chosen.rate, "seconds": chosen.seconds, **run(chosen, progress)}
    print(json.dumps(row))
    if chosen.out:
        chosen.out.write_text(json.dumps({"machine": machine(), **row}, indent=1) + "\n")


if __name__ == "__main__":
    main()
