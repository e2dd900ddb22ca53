"""An asynchronous call that is cancelled at any moment holds no connection and leaves no work half done."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psutil
import pytest

from conftest import Filling, LocalWorker
from support.talk import talk
from support.waiting import wait_until
from turnfold import AsyncTurnfold, Settings, Turnfold

CALLS = 90
BATCH = 7
MOST_FILES = 24
"""File descriptors that the pools may keep: three for each of eight threads."""


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.configure("c", settings={"segment_max_turns": 8})
        tf.append("c", talk("cancelled", 80))
        make_worker().settle()

    return fill


def turns(number: int) -> list[dict[str, Any]]:
    return [{**turn, "turn_id": f"{number}-{n}"} for n, turn in enumerate(talk(f"cancelled {number}", BATCH))]


def calls_of(tf: AsyncTurnfold, number: int) -> dict[str, Callable[[], Awaitable[Any]]]:
    """Return a call of each kind."""
    return {
        "context": lambda: tf.context("c", budget_tokens=800, query="invoice export"),
        "search": lambda: tf.search("c", "payment retries"),
        "expand": lambda: tf.expand("c", "L0:turns-1-40"),
        "anchors": lambda: tf.anchors("c"),
        "turns": lambda: tf.turns("c"),
        "status": lambda: tf.status("c"),
        "timeline": lambda: tf.timeline("c", "seat map"),
        "export": lambda: tf.export("c"),
        "append": lambda: tf.append("new", turns(number)),
        "wait": lambda: tf.wait("new", timeout_seconds=5),
        "forget": lambda: tf.forget(f"never {number}", timeout_seconds=5),
    }


def held(tf: AsyncTurnfold) -> tuple[int, int]:
    """Return the numbers of database and Redis connections in use."""
    resources = tf._client._resources
    redis_pool = resources._connected().client(0).connection_pool
    idle = [connection for connection in redis_pool.pool.queue if connection is not None]
    return resources.reader()._engine.pool.checkedout(), len(redis_pool._connections) - len(idle)


async def test_nothing_is_held_or_half_done(settings: Settings, local: LocalWorker) -> None:
    chance = random.Random(3)
    async with AsyncTurnfold(settings=settings, threads=8) as tf:
        for call in calls_of(tf, CALLS).values():
            with suppress(TimeoutError):
                await asyncio.wait_for(call(), 0.5)
        files, tasks = psutil.Process().num_fds(), asyncio.all_tasks()
        running = []
        for number in range(CALLS):
            kinds = calls_of(tf, number)
            running.append(asyncio.ensure_future(kinds[sorted(kinds)[number % len(kinds)]]()))
            await asyncio.sleep(chance.choice((0, 0, 0.001, 0.005)))
            chance.choice(running).cancel()
        for task in running:
            task.cancel()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
        assert sum(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes) > CALLS // 3
        assert not [error for error in outcomes if isinstance(error, Exception)]
        await asyncio.to_thread(wait_until, lambda: held(tf) == (0, 0), what="no connection is in use")
        assert asyncio.all_tasks() == tasks
        assert psutil.Process().num_fds() <= files + MOST_FILES
        local.settle()
        ids = [turn.turn_id for turn in await tf.turns("new", limit=1_000)]
        assert len(ids) > BATCH
        assert len(set(ids)) == len(ids)
        assert len(ids) % BATCH == 0, "each append is there whole, or not at all"
        assert (await tf.context("c", budget_tokens=800)).text


async def test_a_client_closes_while_calls_run_that_nobody_waits_for(settings: Settings) -> None:
    files = psutil.Process().num_fds()
    for _ in range(5):
        async with AsyncTurnfold(settings=settings, threads=4) as tf:
            await tf.warm_up()
            running = [asyncio.ensure_future(tf.context("c", budget_tokens=800, query="invoice")) for _ in range(12)]
            await asyncio.sleep(0.002)
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
    await asyncio.to_thread(wait_until, lambda: psutil.Process().num_fds() <= files + 2, what="its files are closed")
