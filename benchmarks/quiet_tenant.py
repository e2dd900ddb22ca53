"""Measure how long a quiet tenant waits behind a thousand conversations of another, from storing to folding.

`python benchmarks/quiet_tenant.py` uses two worker processes on PostgreSQL. The other tenant's conversations have short
turns (S), long ones (L) or texts (XL, 40 KB), and all of them are waiting when the quiet one appends.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from databases import Place, places
from sqlalchemy import Engine
from sqlalchemy import text as sql
from steady import SIZES as STEADY_SIZES
from steady import Counters, turn, workers

from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold.settings import Settings

SIZES: Final = {**STEADY_SIZES, "XL": 40_000}
"""Approximate bytes of a turn."""
TURNS: Final = 8
"""Turns of each conversation, as many as are folded without waiting for more."""
_LONGEST_WAIT: Final = 120.0
_BETWEEN_LOOKS: Final = 0.05


def reached(what: Callable[[], bool]) -> float:
    """Return when a condition became true, by `time.perf_counter`. Raises `TimeoutError` after 2 minutes."""
    begun = time.perf_counter()
    while not what():
        if time.perf_counter() - begun > _LONGEST_WAIT:
            msg = f"nothing came within {_LONGEST_WAIT:.0f} s"
            raise TimeoutError(msg)
        time.sleep(_BETWEEN_LOOKS)
    return time.perf_counter()


def turns_of(engine: Engine, name: str) -> tuple[int, int]:
    """Return how many turns of a quiet conversation are stored, and folded."""
    with engine.begin() as connection:
        row = connection.execute(
            sql("SELECT turn_count, fold_seq FROM conversation WHERE tenant = 'quiet' AND external_id = :name"),
            {"name": name},
        ).first()
    return (row.turn_count, row.fold_seq) if row is not None else (0, 0)


def waits(place: Place, size: str, *, conversations: int, times: int) -> dict[str, Any]:
    """Append all of the other tenant, then `times` conversations of the quiet one; measure how long each waits."""
    chance = random.Random(5)  # noqa: S311 - made talk, the same at every run
    settings = Settings(redis_url=place.redis_url, database_url=place.database_url, tenant="other")
    engine = connect(place.database_url, write=False, timeout_seconds=60)
    with (
        tempfile.TemporaryDirectory(prefix="turnfold-quiet-", ignore_cleanup_errors=True) as folder,
        closing(Counters(place)) as counters,
        Turnfold(settings=settings) as other,
    ):
        quiet = other.for_tenant("quiet")
        for number in range(conversations):
            other.append(f"c{number}", [turn(chance, number + i, SIZES[size]) for i in range(TURNS)])
        running = workers(place, Path(folder), 2, {})
        next(running)
        try:
            reached(lambda: counters.stored() - counters.unfolded() >= TURNS)
            rows = []
            for number in range(times):
                name = f"q{number}"
                appended = time.perf_counter()
                quiet.append(name, [turn(chance, i, SIZES["S"]) for i in range(TURNS)])
                stored = reached(lambda name=name: turns_of(engine, name)[0] == TURNS)  # type: ignore[misc]
                folded = reached(lambda name=name: turns_of(engine, name)[1] == TURNS)  # type: ignore[misc]
                rows.append((stored - appended, folded - stored, counters.unfolded()))
        finally:
            running.close()  # type: ignore[attr-defined]
            engine.dispose()
    return {
        "other tenant's turns": size, "conversations": conversations, "load": round(os.getloadavg()[0], 1),
        "stored after s": [round(row[0], 2) for row in rows], "folded after s": [round(row[1], 2) for row in rows],
        "others' turns that still waited": [row[2] for row in rows],
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line of JSON for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=5, help="conversations of the quiet tenant")
    chosen = parser.parse_args(arguments)
    for size in chosen.sizes:
        with places(["postgresql"]) as (place,):
            row = waits(place, size, conversations=chosen.conversations, times=chosen.times)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
