"""Many concurrent reads do not starve the event loop, because only a few of their threads compute at a time."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from conftest import LocalWorker
from turnfold import AsyncTurnfold, Settings, Turnfold, Unavailable
from turnfold.async_client import COMPUTING_THREADS
from turnfold.read import queries


async def test_few_of_many_reads_compute_at_once(
    tf: Turnfold, local: LocalWorker, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.append("c", [{"role": "user", "content": f"We decided that room {number} is blue."} for number in range(40)])
    await asyncio.to_thread(local.fold)
    choose, lock, inside, most = queries.choose, threading.Lock(), 0, 0

    def counted(*arguments: Any) -> Any:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        try:
            return choose(*arguments)
        finally:
            with lock:
                inside -= 1

    monkeypatch.setattr(queries, "choose", counted)
    async with AsyncTurnfold(settings=settings) as client:
        reads = [client.context("c", budget_tokens=1_000, query=f"room {number % 40}?") for number in range(64)]
        contexts = await asyncio.gather(*reads)
        searches = await asyncio.gather(*[client.search("c", f"room {number}") for number in range(16)])
    assert all(context.tokens <= 1_000 for context in contexts)
    assert all(searches)
    assert 1 <= most <= COMPUTING_THREADS


async def test_reads_of_one_kind_wait_for_none_of_each_other(
    settings: Settings, tf: Turnfold, local: LocalWorker
) -> None:
    tf.configure("c", settings={"segment_max_turns": 8})
    tf.append("c", [{"role": "user", "content": f"We decided that room {number} is blue."} for number in range(40)])
    await asyncio.to_thread(local.settle)
    async with AsyncTurnfold(settings=settings) as client:
        for read in (client.anchors, client.notes):
            # Two reads that held a lock during their query would each wait for the other's connection.
            answers = await asyncio.wait_for(asyncio.gather(*(read("c") for _ in range(60))), 60)
            assert answers[0]
            assert answers == answers[:1] * 60


async def test_reads_that_failed_hold_no_others_up(settings: Settings, tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", {"role": "user", "content": "We decided to meet on 3 May."})
    await asyncio.to_thread(local.fold)
    async with AsyncTurnfold(settings=settings) as client:
        await client.context("c", budget_tokens=1_000)
        reader = client._client._resources.reader()
        for _ in range(3 * COMPUTING_THREADS):
            with pytest.raises(Unavailable):
                await asyncio.to_thread(reader.read, lambda look: look._connection.exec_driver_sql("SELEC"))
        assert "3 May" in (await client.context("c", budget_tokens=1_000, query="When do we meet?")).text


async def test_who_is_told_of_changes_may_wait_for_another_threads_read(
    settings: Settings, tf: Turnfold, local: LocalWorker
) -> None:
    found: list[int] = []

    def look(_: object) -> None:
        with ThreadPoolExecutor(1) as pool:
            found.append(len(pool.submit(told.search, "c", "3 May").result(timeout=20)))

    tf.append("c", {"role": "user", "content": "We decided to meet on 3 May."})
    await asyncio.to_thread(local.fold)
    told = Turnfold(settings=settings, on_change=look)
    async with AsyncTurnfold(client=told) as client:
        await client.context("c", budget_tokens=1_000)
        tf.append("c", [{"role": "user", "content": f"Room {number} is blue on 3 May."} for number in range(60)])
        await asyncio.to_thread(local.fold)
        await client.context("c", budget_tokens=1_000)
    assert found
    assert min(found) > 0
