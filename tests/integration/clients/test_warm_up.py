"""Warming up a client loads everything that its first read needs and writes nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from redis import Redis

from support.child_processes import child_environment
from turnfold import AsyncTurnfold, Settings, Turnfold, Unavailable
from turnfold.contract import keys

READ_AFTER_WARM_UP = """
import sys
from turnfold import Settings, Turnfold

with Turnfold(redis_url=sys.argv[1], database_url=sys.argv[2], tenant="acme", doorbell=False) as tf:
    tf.warm_up()
    before = set(sys.modules)
    assert "PostgreSQL" in tf.context("orders", budget_tokens=2_000, query="Which database?").text
    print(*sorted(set(sys.modules) - before))
"""


def test_the_first_read_afterwards_imports_nothing(tf: Turnfold, settings: Settings, make_worker: Callable) -> None:
    tf.append("orders", [{"role": "user", "content": f"Note {i}: we must use PostgreSQL 16."} for i in range(80)])
    make_worker().settle()

    process = subprocess.run(
        [sys.executable, "-c", READ_AFTER_WARM_UP, settings.redis_url, settings.database_url], check=False,
        capture_output=True, text=True, timeout=120,
        env=child_environment(),
    )  # fmt: skip

    assert (process.returncode, process.stdout.split()) == (0, []), process.stderr


def test_nothing_is_written(tf: Turnfold, settings: Settings) -> None:
    tf.warm_up()
    tf.warm_up()

    with Redis.from_url(settings.redis_url) as client:
        assert client.keys() == [keys.LAYOUT.encode()]


async def test_a_coroutine_does_it_off_the_event_loop(settings: Settings) -> None:
    async with AsyncTurnfold(settings=settings) as client:
        await client.warm_up()
        assert (await client.status("orders")).stored == 0


@pytest.mark.parametrize("away", ["redis_url", "database_url"])
def test_a_server_that_does_not_answer_is_named(redis_url: str, sqlite_url: str, away: str) -> None:
    urls = {"redis_url": redis_url, "database_url": sqlite_url}
    urls[away] = {"redis_url": "redis://127.0.0.1:1/0", "database_url": "sqlite:////nowhere/turnfold.db"}[away]

    with Turnfold(**urls, timeout_seconds=1, doorbell=False) as client, pytest.raises(Unavailable):
        client.warm_up()
