"""On a real Redis, whoever waits at the bell hears it, and every ring is heard only once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from support.child_processes import child_environment
from support.places import servers, shard_of
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.rings import Ring
from turnfold.contract.tasks import JobKind, Queue, Task
from turnfold.redis.connections import connect
from turnfold.redis.doorbell import producer_app
from turnfold_worker.adapters.redis.bell import RedisPublisher, RungBells
from turnfold_worker.celery_parts.doorman import Doorman
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.settings import WorkerSettings

pytestmark = pytest.mark.processes

SHARD = shard_of(Address("default", "c"))


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@contextmanager
def doorman_at(url: str) -> Iterator[Doorman]:
    """A doorman that publishes to the Redis at which it waits."""
    doorman = Doorman(None)
    with producer_app(url, timeout_seconds=2) as app:
        threads = doorman.begin(app, WorkerSettings(redis_url=url), [*Queue])
        try:
            yield doorman
        finally:
            doorman.stop(None)
            assert not [thread for thread in threads if thread.is_alive()]


def test_a_ring_is_heard_once_by_those_who_serve_its_queue(redis_url: str, client: redis.Redis) -> None:
    publisher = RedisPublisher(servers(client))
    with connect(redis_url, timeout_seconds=5) as waiting:
        bells = RungBells(waiting)
        publisher.drain(3)
        publisher.drain(3)
        publisher.work(JobKind.REFINE)
        assert bells.wait([Queue.INGEST, Queue.COMPRESS], 5) == [Ring(Task.DRAIN, (3,))]
        assert bells.wait([Queue.INGEST, Queue.COMPRESS], 0.01) == []
        assert bells.take([*Queue]) == [Ring(Task.REFINE)]
        assert bells.take([*Queue]) == []


def test_what_is_no_ring_is_dropped_and_the_others_are_heard(redis_url: str, client: redis.Redis) -> None:
    client.zadd(
        keys.rung_for(Queue.INGEST), {"turnfold.drain 3": 2, b"\xff": 1, "os.system 1": 3, f"turnfold.drain {2**63}": 4}
    )
    client.expire(keys.rung_for(Queue.INGEST), 60)
    with connect(redis_url, timeout_seconds=5) as waiting:
        assert RungBells(waiting).take([Queue.INGEST]) == [Ring(Task.DRAIN, (3,))]
    assert not client.exists(keys.rung_for(Queue.INGEST))


def test_the_doorman_goes_on_when_redis_was_killed_and_is_back(server_folder: Path, sqlite_url: str) -> None:
    with RedisServer(server_folder) as server, server.client() as client:
        with doorman_at(server.url), Turnfold(redis_url=server.url, database_url=sqlite_url) as tf:
            tf.append("c", {"role": "user", "content": "Hello."})
            wait_until(lambda: client.llen(Queue.INGEST) == 1, what="a message for the first append")
            server.kill()
            server.start()
            client.delete(Queue.INGEST, keys.bell(SHARD))
            tf.append("c", {"role": "user", "content": "Are you still there?"})
            wait_until(lambda: client.llen(Queue.INGEST) == 1, what="a message for the next one")
        assert client.zcard(keys.rung_for(Queue.INGEST)) == 0


WITHOUT_CELERY = """
import sys
for name in ("celery", "kombu", "billiard", "amqp", "tenacity"):
    sys.modules[name] = None  # an import of it fails
from turnfold import Turnfold
with Turnfold(redis_url=sys.argv[1], database_url=sys.argv[2]) as tf:
    tf.append("c", {"role": "user", "content": "Hello."})
    print(tf.context("c", budget_tokens=500).text, tf.status("c").inbox)
    tf.forget("c", timeout_seconds=0)
"""


def test_a_client_needs_no_celery(redis_url: str, sqlite_url: str, client: redis.Redis, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CELERY, redis_url, sqlite_url], check=False, capture_output=True, text=True,
        timeout=120,
        env=child_environment(), cwd=tmp_path,
    )  # fmt: skip
    assert "Hello." in done.stdout, done.stderr
    assert client.zcard(keys.rung_for(Queue.INGEST)) == 1
