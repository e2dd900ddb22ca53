"""Measure reads and writes next to a floor and to other libraries; writes docs/performance.md.

make bench
make bench BENCH_ARGS="--turns 100 1000 --databases sqlite --out /tmp/bench"

Every number is measured in one run, on SQLite and PostgreSQL: contexts cold (a process that has not read the
conversation), warm (the same revision was read before, and a turn was appended since), both also with `query=False`,
unchanged since the last read, and with a query; expand; and append. The floor is one Redis round trip and one indexed
SELECT of 60 rows by the plain drivers. Most of the time goes into the longest conversation, which is folded once and
whose rows are copied to the second database. After its third call, a kind of read is measured for twenty seconds at
most; the progress bar shows what runs. Takes about ten minutes with the default lengths on two idle cores, and one
without the longest.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import capacity
import scaling
import steady
from bench import Bench, drain_row, floor_of_a_read, question, row_id, talk
from databases import machine, places
from peers import peers, tokens
from performance_document import (
    APPENDS,
    ASKED,
    CELL_SECONDS,
    MIDDLE,
    NEWEST,
    Row,
    chart,
    document,
    headline,
    prefix_chart,
)
from rich.progress import Progress, TimeElapsedColumn
from sqlalchemy import text

from support.places import NEW_LAYOUT
from support.prefixes import shared
from turnfold import Context
from turnfold.contract.keys import Address, Place
from turnfold.contract.tables import Base, ConversationRow, table
from turnfold.redis.connections import connect as connect_redis

BUDGETS: Final = (1_000, 4_000, 16_000)
READS: Final = 200
QUERIES: Final = 40
INBOX: Final = 20
"""Turns appended between warm reads before the inbox is emptied again."""
PEER_READS: Final = 50
LEAST_CALLS: Final = 3
"""Minimum number of measured calls of one kind, however long they take."""
OUT: Final = Path(__file__).resolve().parent.parent / "docs"

Say = Callable[[str], None]
"""Shows the current step."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations of calls in milliseconds; `cpu` is the median CPU time of the calling thread."""

    p50: float
    p95: float
    p99: float
    cpu: float


def timed(work: Callable[[int], object], times: int, *, before: Callable[[int], object] | None = None) -> Timing:
    """Call `work` with the numbers from 0 on until the time for one kind is over; `before` is not measured."""
    taken, worked = [], []
    deadline = time.perf_counter() + CELL_SECONDS
    for number in range(times):
        if number >= LEAST_CALLS and time.perf_counter() > deadline:
            break
        if before is not None:
            before(number)
        begun, began = time.perf_counter(), time.thread_time()
        work(number)
        worked.append(1_000 * (time.thread_time() - began))
        taken.append(1_000 * (time.perf_counter() - begun))
    taken.sort()
    many = len(taken)
    return Timing(taken[many // 2], taken[int(many * 0.95)], taken[int(many * 0.99)], median(worked))


def store(bench: Bench, turns: int) -> float:
    """Append, store and fold a conversation; return the turns folded a second."""
    name = f"read-{turns}"
    bench.tf.append(name, talk(turns))
    bench.drain()
    begun = time.perf_counter()
    bench.worker.compress(row_id(bench.read, bench.place.name, name))
    bench.tf.wait(name)
    return turns / (time.perf_counter() - begun)


def copy_rows(source: Bench, target: Bench) -> None:
    """Copy all rows of one database to an empty one, under the tenant of the other."""
    for rows in Base.metadata.sorted_tables:
        if rows.name == "meta":
            continue
        with source.read.connect() as reading, target.write.begin() as writing:
            found = reading.execution_options(yield_per=5_000).execute(rows.select())
            for block in found.mappings().partitions():
                values = [dict(row) for row in block]
                if rows is table(ConversationRow):
                    values = [{**row, "tenant": target.place.name} for row in values]
                writing.execute(rows.insert(), values)
    if target.write.dialect.name == "postgresql":
        with target.write.begin() as writing:
            for name in ("conversation", "job", "parked_entry"):
                # Rows inserted with their ids do not advance the sequence.
                writing.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM {name}"))  # noqa: S608 - ours
        with target.write.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            # As autovacuum does within a minute. Without it, even the floor has a different plan.
            connection.execute(text("VACUUM ANALYZE"))


def _covered(context: Context, last_seq: int) -> int:
    """Return how many of the turns up to a number a context shows, or covers by a line that leads to them."""
    spans = context.coverage.spans if context.coverage else ()
    return sum(max(0, min(span.last_seq, last_seq) - span.first_seq + 1) for span in spans)


def _used(contexts: Sequence[Context], budget: int, turns: int) -> Row:
    """Return the tokens of the largest context, its excess over the budget, and the least share of old turns in one."""
    tokens = max(context.tokens for context in contexts)
    old = min(_covered(context, turns - NEWEST) for context in contexts)
    return {
        "tokens": tokens,
        "over": max(0, tokens - budget),
        "old": old / (turns - NEWEST) if turns > NEWEST else None,
    }


def reads_of(bench: Bench, turns: int, say: Say) -> list[Row]:
    """Return a row for each budget and kind of read."""
    name = f"read-{turns}"
    conversation = row_id(bench.read, bench.place.name, name)
    reader = bench.tf._resources.reader()  # noqa: SLF001 - a new process is played by forgetting
    redis = connect_redis(bench.place.redis_url, timeout_seconds=10)
    address = Address(bench.place.name, name)
    inbox = Place(address, NEW_LAYOUT.shard_at(address.point)).inbox
    floor = floor_of_a_read(bench, conversation)
    found: list[Row] = []

    def row(kind: str, budget: int, taken: Timing, lowest: Timing, **more: Any) -> None:
        found.append(
            {"database": bench.place.name, "turns": turns, "kind": kind, "budget": budget, **asdict(taken),
             "floor": lowest.p50, "times": taken.p50 / lowest.p50, "cpu times": taken.cpu / lowest.cpu, **more}
        )  # fmt: skip

    def append(number: int) -> None:
        if number % INBOX == 0:
            redis.delete(inbox)
        bench.tf.append(name, {"role": "user", "content": f"And the seat page for customer {number}?"})

    for budget in BUDGETS:
        say(f"reading {turns:,} turns for {budget:,} tokens, {bench.place.name}")
        used = _used([bench.tf.context(name, budget_tokens=budget)], budget, turns)
        asked_for = [bench.tf.context(name, budget_tokens=budget, query=question(number)) for number in range(4)]
        lowest = timed(lambda _: floor(), READS)
        read = partial(bench.tf.context, name, budget_tokens=budget)
        for which, query in (("", None), ("unsteered ", False)):
            made = partial(read, query=query)
            cold = timed(lambda _, made=made: made(), READS, before=lambda _: reader.forget_parsed())
            row(f"{which}cold", budget, cold, lowest, **used)
            row(f"{which}warm", budget, timed(lambda _, made=made: made(), READS, before=append), lowest, **used)
            redis.delete(inbox)
        row("unchanged", budget, timed(lambda _, read=read: read(), READS), lowest, **used)
        asked = timed(lambda number, read=read: read(query=question(number)), QUERIES)
        row("query", budget, asked, lowest, **_used(asked_for, budget, turns))
    say(f"expanding and appending, {turns:,} turns, {bench.place.name}")
    context = bench.tf.context(name, budget_tokens=MIDDLE)
    lowest = timed(lambda _: floor(), READS)
    if context.markers:
        marked = partial(bench.tf.expand, name, max_tokens=2_000)
        expanded = timed(lambda number: marked(context.markers[number % len(context.markers)]), READS)
        row("expand", 0, expanded, lowest)
    ping = timed(lambda _: redis.ping(), READS)
    other = f"append-{turns}"
    row("append", 0, timed(lambda i: bench.tf.append(other, {"role": "user", "content": f"Number {i}."}), READS), ping)
    bench.drain()
    return found


def peer_rows(folder: Path, turns: int, say: Say) -> list[Row]:
    """Return the rows of the peers at the middle budget."""
    said = list(talk(turns))
    found: list[Row] = []
    say(f"storing {turns:,} turns in the first peer")
    for peer in peers(folder, said):
        say(f"{peer.name}, {turns:,} turns: the first read")
        contents = peer.read(MIDDLE)
        say(f"{peer.name}, {turns:,} turns")
        taken = timed(lambda _, read=peer.read: read(MIDDLE), PEER_READS)  # type: ignore[misc]
        say(f"storing {turns:,} turns in the next peer")
        used = tokens(contents)
        # Each peer keeps the newest messages and drops the others.
        old = max(0, len(contents) - NEWEST) / (turns - NEWEST) if turns > NEWEST else None
        found.append(
            {"name": peer.name, "turns": turns, **asdict(taken), "tokens": used,
             "over": max(0, used - MIDDLE), "old": old}
        )  # fmt: skip
    return found


def prefix_rows(bench: Bench) -> list[Row]:
    """Return how much of a context begins the next one, over single appends with their folds."""
    found = []
    for budget in BUDGETS:
        name, said = f"prefix-{budget}", list(talk(1_500 + APPENDS))
        bench.tf.append(name, said[:-APPENDS])
        texts: dict[str, list[bytes]] = {asked: [] for asked in ASKED}
        for number, turn in enumerate([None, *said[-APPENDS:]]):
            if turn is not None:
                bench.tf.append(name, turn)
            bench.drain()
            bench.worker.compress(row_id(bench.read, bench.place.name, name))
            for asked, query in zip(ASKED, (None, question(0), question(number)), strict=True):
                context = bench.tf.context(name, budget_tokens=budget, query=query)
                texts[asked].append(context.text.encode())
        shares = {asked: shared(those) for asked, those in texts.items()}
        found.append({"budget": budget, "shares": shares})
    return found


def measure(arguments: argparse.Namespace, progress: Progress) -> Row:
    begun, before = time.perf_counter(), machine()
    result: Row = {"reads": [], "peers": [], "folds": [], "drains": [], "prefixes": []}
    steps = len(arguments.turns) * (2 + len(arguments.databases)) + 2 * len(arguments.databases)
    task = progress.add_task("measuring", total=steps)

    def say(what: str, *, advance: int = 0) -> None:
        progress.update(task, description=what, advance=advance)
        if not progress.console.is_terminal:
            print(what, flush=True)

    step = partial(say, advance=1)

    with places(arguments.databases) as found, tempfile.TemporaryDirectory() as folder:
        benches = [Bench(place) for place in found]
        for turns in arguments.turns:
            step(f"folding {turns:,} turns")
            result["folds"].append({"turns": turns, "rate": store(benches[0], turns)})
        for bench in benches[1:]:
            step(f"copying rows to {bench.place.name}")
            copy_rows(benches[0], bench)
        # Freeze the folds' objects, which no reader's process has: scanning them is no part of a read's time.
        gc.collect()
        gc.freeze()
        for bench in benches:
            for turns in arguments.turns:
                step(f"reading {turns:,} turns, {bench.place.name}")
                result["reads"] += reads_of(bench, turns, say)
        for turns in arguments.turns:
            step(f"peers, {turns:,} turns")
            result["peers"] += peer_rows(Path(folder), turns, say)
        step("prefixes")
        result["prefixes"] = prefix_rows(benches[0])
        for bench in benches:
            step(f"draining, {bench.place.name}")
            result["drains"] += [drain_row(bench, *size) for size in ((200, 50), (5_000, 1))]
            bench.close()
    after = machine()
    result["machine"] = {**before, "load": f"{before['load']} and {after['load']}"}
    result["minutes"] = (time.perf_counter() - begun) / 60
    return result


def main() -> None:
    """Write performance.md, its figures and the numbers as JSON; `--steady` and the like write their own."""
    for option, program in (("--steady", steady.main), ("--scaling", scaling.main), ("--capacity", capacity.main)):
        if option in sys.argv:
            program(["--out", str(OUT), *sys.argv[1:]])
            return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"], choices=["sqlite", "postgresql"])
    parser.add_argument("--out", type=Path, default=OUT, help="folder that the document is written to")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn()) as progress:
        result = measure(arguments, progress)
    (arguments.out / "performance.json").write_text(json.dumps(result, indent=1))
    (arguments.out / "performance.md").write_text(document(result))
    (arguments.out / "performance-length.svg").write_text(chart(result))
    (arguments.out / "performance-prefixes.svg").write_text(prefix_chart(result))
    (arguments.out / "reads.svg").write_text(headline(result))
    print(f"wrote {arguments.out / 'performance.md'}")


if __name__ == "__main__":
    main()
