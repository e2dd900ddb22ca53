"""Measure the savings from dropping search rows of idle conversations, and the cost of rebuilding them.

python benchmarks/idle_search.py DATA.jsonl…       bytes of rows in SQLite, and CPU, for each file
python benchmarks/idle_search.py --made 400        the same for made talk of that many turns
python benchmarks/idle_search.py --levels --made 400   the same with levels dropped as well
python benchmarks/idle_search.py --look 1000000    how long a look at that many conversations takes on PostgreSQL

A line of DATA is a conversation, as for `fold_speed.py`.
"""

from __future__ import annotations

import argparse
import time
from functools import reduce
from operator import add
from pathlib import Path

from databases import places
from fill_conversations import fill
from fold_speed import Turns, made, read
from sqlalchemy import ColumnElement, Engine, LargeBinary, Table, cast, func, select, text

from turnfold.contract.columns import Base
from turnfold.contract.records import ConversationId
from turnfold.database.engines import connect
from turnfold_worker.adapters.sql.dropped_postings import SqlIdleSearch
from turnfold_worker.offline import fold
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.fold import CompressLimits, compress
from turnfold_worker.use_cases.search_rows import drop_idle
from turnfold_worker.wiring import sql_store

AT_ONCE = CompressLimits(slice_seconds=3_600.0, attempts=1)
AGED = "UPDATE conversation SET updated_at = '2020-01-01 00:00:00+00:00'"


def main() -> None:
    """Print a line for each file or number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="*", help="JSONL: a conversation a line")
    parser.add_argument("--most", type=int, default=10, help="conversations of a file")
    parser.add_argument("--made", type=int, action="append", default=[], help="turns of a made assistant chat")
    parser.add_argument("--levels", action="store_true", help="levels 1 and 2 go too")
    parser.add_argument("--look", type=int, default=0, help="conversations that a look goes over")
    arguments = parser.parse_args()
    for path in arguments.data:
        _print_saved(path.name, read(path)[: arguments.most], levels=arguments.levels)
    for turns in arguments.made:
        _print_saved(f"made talk of {turns} turns", [made(turns)], levels=arguments.levels)
    if arguments.look:
        _print_look(arguments.look)


def _print_saved(name: str, conversations: list[Turns], *, levels: bool) -> None:
    before = after = 0
    folding = making = 0.0
    for turns in conversations:
        started = time.process_time()
        with fold(turns) as folded:
            folding += time.process_time() - started
            engine, digest = folded._engine, folded.digest()  # noqa: SLF001 - the database of a benchmark
            before += _bytes(engine)
            with engine.begin() as connection:
                connection.execute(text(AGED))
            search = SqlIdleSearch(engine, read_engine=engine, levels=levels)
            drop_idle(1.0, search=search, seconds=60.0, clock=time.monotonic)
            after += _bytes(engine)
            started = time.process_time()
            store = sql_store(WorkerSettings(), engine, engine)
            compress(ConversationId(1), store=store, limits=AT_ONCE, clock=time.monotonic)
            making += time.process_time() - started
            if folded.digest() != digest:
                msg = f"{name}: the rows that were made again are others"
                raise SystemExit(msg)
    many = sum(map(len, conversations))
    print(
        f"{name}: {many} turns, {before / many:,.0f} bytes a turn, {after / many:,.0f} without search rows "
        f"(-{100 * (1 - after / before):.1f} %); CPU ms a turn: folded {1_000 * folding / many:.2f}, made again "
        f"{1_000 * making / many:.2f}",
        flush=True,
    )


def _bytes(engine: Engine) -> int:
    """Return the bytes of all values in all rows, without the database's overhead."""
    with engine.connect() as connection:
        return sum(
            int(connection.scalar(select(func.coalesce(func.sum(_length(rows)), 0))) or 0)
            for rows in Base.metadata.sorted_tables
        )


def _length(rows: Table) -> ColumnElement[int]:
    columns = [func.coalesce(func.length(cast(column, LargeBinary)), 0) for column in rows.columns]
    return reduce(add, columns)


def _print_look(conversations: int) -> None:
    with places(["postgresql"]) as (place,):
        engine = connect(place.database_url, write=True, timeout_seconds=600)
        fill(engine, conversations)
        search = SqlIdleSearch(engine, read_engine=engine)
        with engine.begin() as connection:
            connection.execute(text("UPDATE conversation SET updated_at = now()"))
            connection.execute(text(f"{AGED} WHERE id % 100 = 0"))
        for what in ("and drops of one in a hundred", "with nothing to drop"):
            started = time.monotonic()
            drop_idle(1.0, search=search, seconds=3_600.0, clock=time.monotonic)
            print(f"a look at {conversations:,} conversations {what}: {time.monotonic() - started:.1f} s", flush=True)
        engine.dispose()


if __name__ == "__main__":
    main()
