"""How folding and reading cost as a conversation grows: SQLite, one process, the built-in estimator.

python benchmarks/long_conversation.py [--turns 100 1000 10000 100000] [--budget 4000] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from turnfold import retrieval
from turnfold.assemble import Request
from turnfold.contract.keys import Address
from turnfold.edge import accept
from turnfold.reader import Reader
from turnfold.sql import connect
from turnfold_worker import migrate
from turnfold_worker.compress import CompressLimits, compress
from turnfold_worker.drain import receive
from turnfold_worker.ports import InboxEntry
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import sql_store

ADDRESS = Address("default", "long")
READS = 200


class _Nobody:
    def drain(self, shard: int) -> None: ...

    def compress(self, conversation: Any) -> None: ...

    def erase(self, shard: int) -> None: ...


def talk(count: int) -> Iterator[dict[str, str]]:
    """Made talk with changing subjects, numbers, decisions and questions."""
    chance = random.Random(7)  # noqa: S311 - made talk, the same at every run
    subjects = [
        f"{a} {b}" for a in ("seat", "refund", "login", "report", "search") for b in ("api", "page", "job", "test")
    ]
    verbs = ("must finish within", "should stay under", "may cost at most", "takes about")
    days = ("Monday", "Friday", "14 May")
    for number in range(count):
        subject = subjects[number // 23 % len(subjects)]
        said = (
            f"We decided: the {subject} {chance.choice(verbs)} {chance.randrange(5, 900)} ms for customer {number}.",
            f"Can you check the {subject} in src/{subject.replace(' ', '_')}.py, and tell me what fails?",
            f"I'll rewrite the {subject} by {chance.choice(days)}; it never retries more than {number % 7} times.",
            f"The {subject} looks fine to me. Thanks for looking into it so quickly today.",
        )
        yield {"role": "assistant" if number % 2 else "user", "content": chance.choice(said), "turn_id": f"t{number}"}


def run(count: int, budget: int, folder: Path) -> dict[str, Any]:
    """Store, fold and read one conversation of `count` turns."""
    url = f"sqlite:///{folder / f'{count}.db'}"
    migrate.upgrade(url)
    write = connect(url, write=True, timeout_seconds=30)
    read = connect(url, write=False, timeout_seconds=30)
    store = sql_store(WorkerSettings(), write, read)
    conversation = store.resolve([ADDRESS])[0]
    entries = [accept(turn, max_bytes=1 << 20) for turn in talk(count)]
    started = time.perf_counter()
    for first in range(0, count, 500):
        block = entries[first : first + 500]
        store.store({conversation: [receive(InboxEntry("", "append", e.entry_id, e.body)) for e in block]})
    stored = time.perf_counter()
    limits = CompressLimits(slice_seconds=1e9, attempts=3)
    compress(conversation, store=store, publisher=_Nobody(), limits=limits, clock=time.monotonic)
    folded = time.perf_counter()
    reader, request = Reader(read), Request(budget_tokens=budget)
    rows = _rows_read(read, lambda: retrieval.context(retrieval.NO_INBOX, reader, ADDRESS, request))
    times: list[float] = []
    context = retrieval.context(retrieval.NO_INBOX, reader, ADDRESS, request)
    for _ in range(READS):
        begun = time.perf_counter()
        context = retrieval.context(retrieval.NO_INBOX, reader, ADDRESS, request)
        times.append(time.perf_counter() - begun)
    floor = _floor(folder / f"{count}.db")
    p50 = 1_000 * statistics.median(times)
    write.dispose()
    read.dispose()
    return {
        "turns": count, "store turns/s": round(count / (stored - started)),
        "fold turns/s": round(count / (folded - stored)), "fold seconds": round(folded - stored, 2),
        "context p50 ms": round(p50, 3), "context p95 ms": round(1_000 * sorted(times)[int(READS * 0.95)], 3),
        "rows read": rows, "tokens": context.tokens, "floor ms": round(floor, 4),
        "times the floor": round(p50 / floor, 1),
    }  # fmt: skip


def _rows_read(engine: Engine, call: Any) -> int:
    """Rows that the statements of one call return: each is run once more by itself."""
    statements: list[tuple[str, Any]] = []

    @event.listens_for(engine, "before_cursor_execute")
    def _remember(*given: Any) -> None:
        statement, parameters = given[2:4]
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            statements.append((statement, parameters))

    call()
    event.remove(engine, "before_cursor_execute", _remember)
    with engine.connect() as connection:
        return sum(len(connection.exec_driver_sql(*statement).all()) for statement in statements)


def _floor(path: Path) -> float:
    """One indexed SELECT of 60 rows by the plain driver, in milliseconds."""
    with sqlite3.connect(path) as connection:
        times = []
        for _ in range(READS):
            begun = time.perf_counter()
            connection.execute("SELECT * FROM turn WHERE conversation = 1 ORDER BY seq DESC LIMIT 60").fetchall()
            times.append(time.perf_counter() - begun)
    connection.close()
    return 1_000 * statistics.median(times)


def main() -> None:
    """Print a table, and write it as JSON with the machine that it was measured on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--budget", type=int, default=4_000)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for count in arguments.turns:
            row = run(count, arguments.budget, Path(folder))
            rows.append(row)
            print("  ".join(f"{name}: {value}" for name, value in row.items()), flush=True)
    if arguments.out:
        machine = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
        arguments.out.write_text(json.dumps({"machine": machine, "budget": arguments.budget, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
