"""Measure the gain from a second process: one worker process, then two, store and fold the same turns.

`make bench BENCH_ARGS=--scaling` runs it on PostgreSQL. A stage is timed from its first turn, without the workers'
start.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from databases import Place, machine, places
from performance_document import markdown
from steady import SIZES, Counters, turn

from support.celery_workers import CeleryWorker
from turnfold import Turnfold
from turnfold.contract.tasks import Queue
from turnfold.settings import Settings

MEASURED_ONCE: Final = "## A million conversations"
STORED: Final = {"S": (2_000, 40), "L": (400, 40)}
"""Stored conversations, and turns of each."""
FOLDED: Final = {"S": (300, 16), "L": (80, 16)}
"""Folded conversations, and turns of each."""


@contextmanager
def working(place: Place, queue: Queue, processes: int) -> Iterator[None]:
    """Workers of one queue."""
    with tempfile.TemporaryDirectory(prefix="turnfold-scaling-", ignore_cleanup_errors=True) as folder:
        variables = {
            "TURNFOLD_REDIS_URL": place.redis_url, "TURNFOLD_DATABASE_URL": place.database_url,
            "TURNFOLD_STATE_DIR": folder,
        }  # fmt: skip
        worker = CeleryWorker(
            f"scaling-{queue.name}", [str(queue)], variables, Path(folder), children=processes, anew=True
        )
        worker.start(wait=False)
        try:
            yield
        finally:
            worker.kill()


def rate(left: Callable[[], int]) -> float:
    """Return turns a second from the first one done to the last."""
    before = left()
    while (begun := left()) == before:
        time.sleep(0.005)
    start = time.perf_counter()
    while left():
        time.sleep(0.01)
    return begun / (time.perf_counter() - start)


def measured(place: Place, size: str, shape: tuple[int, int], *, processes: int, fold: bool) -> float:
    """Return turns a second of storing, or of folding stored turns."""
    chance, (conversations, turns) = random.Random(3), shape  # noqa: S311 - made talk, the same at every run
    settings = Settings(redis_url=place.redis_url, database_url=place.database_url)
    with Turnfold(settings=settings) as tf, closing(Counters(place)) as counters:
        for number in range(conversations):
            tf.append(f"c{number}", [turn(chance, number * turns + one, SIZES[size]) for one in range(turns)])
        with working(place, Queue.INGEST, processes):
            stored = rate(lambda: conversations * turns - counters.stored())
        if not fold:
            return stored
        with working(place, Queue.COMPRESS, processes):
            return rate(counters.unfolded)


def document(rows: Sequence[Mapping[str, Any]], where: Mapping[str, str]) -> str:
    """Return the text of docs/lab/performance-scaling.md."""
    return f"""# What a second process is worth

Written by `make bench BENCH_ARGS=--scaling`: {where["processor"]}, {where["cores"]} cores, load {where["load"]}, Python
{where["python"]}, {where["system"]}, PostgreSQL and Redis on the same cores. Turns a second of a stage alone, from its
first turn to its last; S are turns of {SIZES["S"]} bytes, L of {SIZES["L"]:,}.

{markdown(rows)}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both stages with one process and with two, and write docs/lab/performance-scaling.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scaling", action="store_true", help="given by `make bench`; says nothing here")
    parser.add_argument("--databases", nargs="+", default=["postgresql"], choices=["sqlite", "postgresql"])
    parser.add_argument("--out", type=Path, help="folder that the document is written to")
    chosen = parser.parse_args(arguments)
    rows = []
    for name in chosen.databases:
        for stage, shapes in (("storing", STORED), ("folding", FOLDED)):
            for size, shape in shapes.items():
                rates = []
                for processes in (1, 2):
                    with places([name]) as (place,):
                        rates.append(measured(place, size, shape, processes=processes, fold=stage == "folding"))
                rows.append({
                    "stage": stage, "database": name, "turns": size, "number": shape[0] * shape[1],
                    "one process, turns/s": round(rates[0]), "two processes": round(rates[1]),
                    "ratio": round(rates[1] / rates[0], 2),
                })  # fmt: skip
                print(json.dumps(rows[-1]), flush=True)
    if chosen.out:
        page = chosen.out / "lab" / "performance-scaling.md"
        # Measurements that were made once, by hand, follow and stay.
        _, mark, once = page.read_text().partition(MEASURED_ONCE) if page.exists() else ("", "", "")
        page.write_text(document(rows, machine()) + (f"\n{mark}{once}" if mark else ""))


if __name__ == "__main__":
    main()
