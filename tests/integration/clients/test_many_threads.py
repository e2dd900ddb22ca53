"""With more threads than connections, calls wait for one; a timeout names the remedy."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from sqlalchemy import event

from conftest import LocalWorker
from support.talk import talk as said
from turnfold import Turnfold
from turnfold.database.driver import Driver
from turnfold.database.engines import CONNECTIONS, connect
from turnfold.database.failures import translated as sql_translated
from turnfold.errors import Unavailable
from turnfold.redis.connections import MOST_CONNECTIONS, translated
from turnfold.redis.connections import connect as connect_redis

pytestmark = pytest.mark.daily_on("postgresql")


def test_threads_beyond_the_connections_wait_for_one(tf: Turnfold) -> None:
    many = 3 * MOST_CONNECTIONS
    together = threading.Barrier(many)

    def talk(number: int) -> int:
        together.wait(timeout=60)
        tf.append(f"c{number % 7}", {"role": "user", "content": f"Number {number}."})
        return tf.context(f"c{number % 7}", budget_tokens=500).tokens

    with ThreadPoolExecutor(many) as threads:
        assert all(threads.map(talk, range(many)))


def test_a_client_without_a_free_connection_says_so(redis_url: str) -> None:
    with connect_redis(redis_url, timeout_seconds=0.2) as client:
        held = [client.connection_pool.get_connection() for _ in range(MOST_CONNECTIONS)]
        with pytest.raises(Unavailable, match="64 connections of this client"), translated("asking"):
            client.ping()
        for connection in held:
            client.connection_pool.release(connection)
        assert client.ping()


def test_many_threads_share_the_sessions_that_stay_open(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("talk", said(1, 30))
    local.fold()
    tf.context("talk", budget_tokens=500)
    engine, opened = tf._resources.reader()._engine, []
    event.listen(engine, "connect", lambda driver, _: opened.append(driver))
    many = 4 * CONNECTIONS
    together = threading.Barrier(many)

    def read(number: int) -> int:
        together.wait(timeout=60)
        for budget in range(400, 404):
            tf._resources.reader().forget_parsed()
            tf.context("talk", budget_tokens=budget + number)
            tf.expand("talk", "L0:turns-1-3")
        return 4

    with ThreadPoolExecutor(many) as threads:
        assert sum(threads.map(read, range(many))) == 4 * many
    assert len(opened) <= 2 * CONNECTIONS


def test_a_read_that_gets_no_connection_says_what_to_do(database_url: str) -> None:
    engine = connect(database_url, write=False, timeout_seconds=0.2)
    driver = Driver(engine)
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(driver.connection())
        with pytest.raises(Unavailable, match="use fewer threads"), sql_translated(), driver.connection():
            pass
    with driver.connection() as held:
        assert held.driver is not None
    driver.close()
    engine.dispose()
