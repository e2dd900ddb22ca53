"""Measure stalls of an event loop during reads with a query, and the duration of these reads.

python benchmarks/loop_stalls.py              64 reads at once, four times: milliseconds
python benchmarks/loop_stalls.py --reads 16
python benchmarks/loop_stalls.py --switch-interval 0.001

A beat sleeps one millisecond at a time; any longer sleep is a stall. Each stall is printed with the CPU time that this
process used in it: other load on the machine makes a stall longer without adding CPU time. After one read, existing
objects are frozen for the garbage collector, as `turnfold serve` does and your own service should. The first round also
starts the client's threads, which is its longest stall. Needs a Redis server.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys
import time
from typing import Final

from turnfold import AsyncTurnfold
from turnfold_worker.testing.local import embedded

WORDS: Final = (
    "database", "budget", "review", "billing", "invoice", "refund", "booking", "customer", "deadline", "schema",
    "index", "query", "plan", "office", "Lisbon", "Rome", "travel", "hotel",
)  # fmt: skip
CONVERSATIONS: Final = 8
TURNS: Final = 200


async def stalls(client: AsyncTurnfold, reads: int) -> tuple[float, list[float], list[float]]:
    """Return the milliseconds of `reads` concurrent reads, the sorted delays of beats, and their sorted CPU times."""
    late: list[float] = []
    used: list[float] = []

    async def beat() -> None:
        while True:
            since, used_since = time.perf_counter(), time.process_time()
            await asyncio.sleep(0.001)
            late.append(1_000 * (time.perf_counter() - since) - 1)
            used.append(1_000 * (time.process_time() - used_since))

    beating = asyncio.create_task(beat())
    since = time.perf_counter()
    await asyncio.gather(*[
        client.context(f"c{number % CONVERSATIONS}", budget_tokens=4_000, query=" ".join(random.sample(WORDS, 2)))
        for number in range(reads)
    ])  # fmt: skip
    took = 1_000 * (time.perf_counter() - since)
    beating.cancel()
    return took, sorted(late), sorted(used)


async def measure(environment: dict[str, str], *, reads: int, rounds: int) -> None:
    """Print a line for each round."""
    redis_url, database_url = environment["TURNFOLD_REDIS_URL"], environment["TURNFOLD_DATABASE_URL"]
    async with AsyncTurnfold(redis_url=redis_url, database_url=database_url, tenant="bench") as client:
        await client.context("c0", budget_tokens=4_000, query="warm")
        gc.collect()
        gc.freeze()
        for _ in range(rounds):
            took, late, used = await stalls(client, reads)
            print(f"{reads} reads {took:7.0f} ms   stalls: {shown(late)}   of CPU: {shown(used)}")


def shown(milliseconds: list[float]) -> str:
    """Return percentiles and the maximum of sorted times as text."""
    p50, p95, p99 = (milliseconds[int(share * len(milliseconds))] for share in (0.5, 0.95, 0.99))
    return f"p50 {p50:5.1f}  p95 {p95:5.1f}  p99 {p99:5.1f}  longest {milliseconds[-1]:5.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reads", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--switch-interval", type=float, default=sys.getswitchinterval(), help="seconds")
    given = parser.parse_args()
    sys.setswitchinterval(given.switch_interval)
    random.seed(1)
    with embedded(tenant="bench", fold_turns=8) as tf:
        for number in range(CONVERSATIONS):
            said = [" ".join(random.choices(WORDS, k=40)) for _ in range(TURNS)]  # noqa: S311 - no secrets
            turns = [{"role": "user", "content": f"{words}."} for words in said]
            tf.append(f"c{number}", turns)
        tf.fold_now()
        asyncio.run(measure(tf.environment, reads=given.reads, rounds=given.rounds))


if __name__ == "__main__":
    main()
