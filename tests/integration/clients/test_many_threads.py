"""More threads than connections: they wait for one, and where that takes too long the error says what to do."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from turnfold import Turnfold
from turnfold.errors import Unavailable
from turnfold.redis.inbox import MOST_CONNECTIONS, translated
from turnfold.redis.inbox import connect as connect_redis

pytestmark = pytest.mark.daily_on("sqlite")


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
