"""Measure whether a turn costs more in a long conversation: one on PostgreSQL and Redis, folded block by block.

PYTHONPATH=tests python benchmarks/long_conversation.py --turns 100000 --minutes 15 --out long.json

Prints, at each requested length, the CPU milliseconds of appending, storing and folding a turn there (this process and
PostgreSQL, without waiting) and the cost of a read, cold and with a query. Ends at `--turns` or after `--minutes`,
whichever is first, and prints how far it came. Output is a JSON row for each length, and ratios to the first one.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench import Bench, question, row_id, talk
from databases import machine, places
from rich.progress import Progress
from steady import Cpu, listening, port_of

NAME: Final = "long"
BLOCK: Final = 500
"""Turns appended, stored and folded between two checks of the clock."""
WINDOW: Final = 4
"""Blocks that are averaged into the figure of a length."""
READS: Final = 100
WARM_UP: Final = 10
"""Reads before those that count."""


def grown(bench: Bench, turns: Iterator[dict[str, str]], cpu: Cpu) -> float:
    """Append, store and fold one block; return CPU milliseconds a turn of this process and PostgreSQL."""
    block = list(islice(turns, BLOCK))
    before = sum(cpu.seconds().values())
    bench.tf.append(NAME, block)
    bench.drain()
    bench.worker.compress(row_id(bench.read, bench.place.name, NAME))
    return 1_000 * (sum(cpu.seconds().values()) - before) / len(block)


def reads(bench: Bench, cpu: Cpu) -> dict[str, float]:
    """Measure a cold read and a query: CPU milliseconds of this process and PostgreSQL, and the median of wall time."""
    reader = bench.tf._resources.reader()  # noqa: SLF001 - a new process is played by forgetting
    read = partial(bench.tf.context, NAME, budget_tokens=4_000)
    row = {}
    for kind, query in (("cold", lambda _: None), ("query", question)):
        for number in range(WARM_UP):
            read(query=query(number))
        seconds, before = [], sum(cpu.seconds().values())
        for number in range(READS):
            reader.forget_parsed()
            begun = time.perf_counter()
            read(query=query(number))
            seconds.append(time.perf_counter() - begun)
        spent = sum(cpu.seconds().values()) - before
        row |= {f"{kind} read, CPU ms": 1_000 * spent / READS, f"{kind} read, ms": 1_000 * median(seconds)}
    return row


def measured(bench: Bench, cpu: Cpu, lengths: Sequence[int], deadline: float) -> list[dict[str, Any]]:
    """Return a row for each length that was reached in time."""
    turns, costs, rows = talk(max(lengths) + WINDOW * BLOCK), [], []
    with Progress() as progress:
        task = progress.add_task("turns", total=max(lengths))
        for length in lengths:
            while len(costs) * BLOCK < length + WINDOW * BLOCK // 2 and time.monotonic() < deadline:
                costs.append(grown(bench, turns, cpu))
                progress.update(task, completed=len(costs) * BLOCK)
            reached = len(costs) * BLOCK
            row = {"turns": reached, "work, CPU ms a turn": sum(costs[-WINDOW:]) / WINDOW, **reads(bench, cpu)}
            rows.append({name: round(number, 3) for name, number in row.items()})
            print(json.dumps(rows[-1]), flush=True)
            if reached < length:
                break
    return rows


def main() -> None:
    """Measure, and print the ratio of each figure at the greatest length to that at the first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--turns", type=int, default=100_000, help="the greatest length; tenths of it are measured, too"
    )
    parser.add_argument("--minutes", type=float, default=15.0, help="after which no more turns are appended")
    parser.add_argument("--out", type=Path, help="JSON file for the rows and the machine")
    chosen = parser.parse_args()
    lengths = [length for length in (1_000, 10_000, 100_000, 1_000_000) if length < chosen.turns] + [chosen.turns]
    with places(["postgresql"]) as (place,):
        bench = Bench(place)
        cpu = Cpu({"here": os.getpid(), "postgresql": listening(port_of(place.database_url))})
        rows = measured(bench, cpu, lengths, time.monotonic() + 60 * chosen.minutes)
        bench.close()
    ratios = {name: round(rows[-1][name] / rows[0][name], 2) for name in rows[0] if name.endswith(("turn", "CPU ms"))}
    print(json.dumps({"turns": rows[-1]["turns"], "ratio to the first": ratios}))
    if chosen.out:
        chosen.out.write_text(json.dumps({"machine": machine(), "rows": rows, "ratios": ratios}, indent=1) + "\n")


if __name__ == "__main__":
    main()
