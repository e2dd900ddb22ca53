"""Celery messages contain only ids, because they pass through brokers, logs and Flower."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import Celery

from support.places import servers, shard_of
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tasks import QUEUE_OF, JobKind, Queue, Task
from turnfold.redis.doorbell import MOST_MESSAGES, CeleryPublisher, Doorbell, producer_app
from turnfold_worker.adapters.redis.bell import RedisPublisher, RungBells
from turnfold_worker.celery_parts.doorman import Round

pytestmark = pytest.mark.processes


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def app(redis_url: str) -> Iterator[Celery]:
    with producer_app(redis_url, timeout_seconds=2) as app:
        yield app


def message(client: redis.Redis, queue: Queue) -> dict[str, Any]:
    """Return the only message that waits in a queue."""
    raw = wait_until(lambda: client.lrange(str(queue), 0, -1), what=f"a message in {queue}")
    assert len(raw) == 1
    found: dict[str, Any] = json.loads(raw[0])
    found["body"] = json.loads(base64.b64decode(found["body"]))
    return found


SHOWN = {
    Task.DRAIN: "shard 7", Task.ERASE: "shard 7", Task.COMPRESS: "conversation 7",
}  # fmt: skip


@pytest.mark.parametrize("task", SHOWN)
def test_the_producers_message_is_the_tasks_name_and_one_number(app: Celery, client: redis.Redis, task: Task) -> None:
    assert CeleryPublisher(app).publish(task, 7, expires_seconds=60)
    found = message(client, QUEUE_OF[task])
    assert found["headers"]["task"] == str(task)
    assert found["headers"]["argsrepr"] == SHOWN[task]
    assert found["headers"]["kwargsrepr"] == "{}"
    assert found["headers"]["expires"]
    args, kwargs, _ = found["body"]
    assert (args, kwargs) == ([7], {})


def test_the_messages_for_what_rang_are_the_same_and_that_for_drains_is_one(app: Celery, client: redis.Redis) -> None:
    publisher = RedisPublisher(servers(client))
    publisher.drain(5)
    publisher.drain(3)
    publisher.work(JobKind.COMPRESS)
    publisher.erase(4)
    pauses = dict.fromkeys(Queue, 0.0)
    Round(
        lambda: RungBells(client),
        CeleryPublisher(app),
        [*Queue],
        stop=threading.Event(),
        expires_seconds=60,
        pauses=pauses,
    )()
    assert not client.keys("tf:*rung*")
    assert message(client, Queue.INGEST)["body"][:2] == [[3, 5], {}]
    assert message(client, Queue.INGEST)["headers"]["argsrepr"] == "shards 3, 5"
    assert message(client, Queue.COMPRESS)["body"][:2] == [[], {}]
    assert message(client, Queue.COMPRESS)["headers"]["argsrepr"] == "what is due"
    assert message(client, Queue.MAINTENANCE)["body"][:2] == [[4], {}]


SECRETS = TENANT, CONVERSATION, TURN_ID, CONTENT = ("acme-tenant", "case-4711", "m-xyzzy", "wire the 40,000 EUR")


def append_three_times(redis_url: str, database_url: str, *, celery_doorbell: bool) -> Iterator[Turnfold]:
    with Turnfold(
        redis_url=redis_url, database_url=database_url, tenant=TENANT, celery_doorbell=celery_doorbell
    ) as client:
        for _ in range(3):
            client.append(CONVERSATION, {"role": "user", "content": CONTENT, "turn_id": TURN_ID})
        yield client


def test_an_append_rings_once_in_redis_and_the_ring_holds_nothing_of_the_turn(
    redis_url: str, database_url: str, client: redis.Redis
) -> None:
    shard = shard_of(Address(TENANT, CONVERSATION))
    for _ in append_three_times(redis_url, database_url, celery_doorbell=False):
        assert client.zrange(keys.rung_for(Queue.INGEST), 0, -1) == [f"turnfold.drain {shard}".encode()]
    assert not client.exists(Queue.INGEST)
    assert 0 < client.ttl(keys.rung_for(Queue.INGEST)) <= keys.RUNG_SECONDS


def test_with_celerys_doorbell_an_append_publishes_once_and_its_message_holds_nothing_of_the_turn(
    redis_url: str, database_url: str, client: redis.Redis
) -> None:
    shard = shard_of(Address(TENANT, CONVERSATION))
    for _ in append_three_times(redis_url, database_url, celery_doorbell=True):
        found = message(client, Queue.INGEST)
    assert found["body"][:2] == [[shard], {}]
    assert not [secret for secret in SECRETS if secret in json.dumps(found)]
    assert not client.exists(keys.rung_for(Queue.INGEST))


def test_a_queue_whose_workers_are_away_does_not_grow(app: Celery, client: redis.Redis) -> None:
    publisher = CeleryPublisher(app)
    sent = [publisher.publish(Task.DRAIN, 3, expires_seconds=60) for _ in range(MOST_MESSAGES + 5)]
    assert sent == [True] * MOST_MESSAGES + [False] * 5
    assert client.llen(str(Queue.INGEST)) == MOST_MESSAGES


@pytest.mark.parametrize("taken", [False, True], ids=["left in the queue", "taken at once"])
def test_messages_go_out_over_connections_that_stay_open(app: Celery, client: redis.Redis, *, taken: bool) -> None:
    publisher = CeleryPublisher(app)

    def publish() -> None:
        publisher.publish(Task.DRAIN, 3, expires_seconds=60)
        if taken:
            client.delete(str(Queue.INGEST))

    for _ in range(2):
        publish()
    before = client.info("stats")["total_connections_received"]
    for _ in range(20):
        publish()
    assert client.info("stats")["total_connections_received"] == before
    publisher.close()


def test_a_broker_that_is_away_costs_the_producer_nothing_but_the_ring() -> None:
    bell = Doorbell("redis://127.0.0.1:1/0", timeout_seconds=0.2)
    bell.ring(Task.DRAIN, 3)
    wait_until(lambda: bell.dropped == 1, what="the ring is given up")
    bell.close()


def test_every_task_has_a_queue_and_every_name_its_prefix() -> None:
    assert set(QUEUE_OF) == set(Task)
    assert all(str(name).startswith("turnfold.") for name in (*Task, *Queue))
