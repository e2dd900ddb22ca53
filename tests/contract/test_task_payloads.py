"""Celery messages carry ids only: they pass through brokers, logs and Flower."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import Celery

from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tasks import QUEUE_OF, JobKind, Queue, Task
from turnfold.doorbell import Doorbell, producer_app, publish
from turnfold_worker.adapters.celery_publisher import CeleryPublisher

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
    """The one message that waits in a queue."""
    raw = wait_until(lambda: client.lrange(str(queue), 0, -1), timeout_seconds=10, what=f"a message in {queue}")
    assert len(raw) == 1
    found: dict[str, Any] = json.loads(raw[0])
    found["body"] = json.loads(base64.b64decode(found["body"]))
    return found


SHOWN = {
    Task.DRAIN: "shard 7", Task.ERASE: "shard 7", Task.COMPRESS: "conversation 7",
}  # fmt: skip


@pytest.mark.parametrize("task", SHOWN)
def test_the_producers_message_is_the_tasks_name_and_one_number(app: Celery, client: redis.Redis, task: Task) -> None:
    publish(app, task, 7)
    found = message(client, QUEUE_OF[task])
    assert found["headers"]["task"] == str(task)
    assert found["headers"]["argsrepr"] == SHOWN[task]
    assert found["headers"]["kwargsrepr"] == "{}"
    args, kwargs, _ = found["body"]
    assert (args, kwargs) == ([7], {})


def test_the_workers_messages_are_the_same(app: Celery, client: redis.Redis) -> None:
    publisher = CeleryPublisher(app, expires_seconds=60)
    publisher.drain(3)
    publisher.work(JobKind.COMPRESS)
    publisher.erase(4)
    assert message(client, Queue.INGEST)["body"][:2] == [[3], {}]
    assert message(client, Queue.COMPRESS)["body"][:2] == [[], {}]
    assert message(client, Queue.COMPRESS)["headers"]["argsrepr"] == "what is due"
    assert message(client, Queue.MAINTENANCE)["body"][:2] == [[4], {}]


def test_an_append_rings_once_and_its_message_holds_nothing_of_the_turn(
    redis_url: str, database_url: str, client: redis.Redis
) -> None:
    tenant, conversation, turn_id, content = secrets = ("acme-tenant", "case-4711", "m-xyzzy", "wire the 40,000 EUR")
    with Turnfold(redis_url=redis_url, database_url=database_url, tenant=tenant) as tf:
        for _ in range(3):
            tf.append(conversation, {"role": "user", "content": content, "turn_id": turn_id})
        found = message(client, Queue.INGEST)
    assert found["body"][:2] == [[Address(tenant, conversation).shard], {}]
    assert not [secret for secret in secrets if secret in json.dumps(found)]


def test_a_broker_that_is_away_costs_the_producer_nothing_but_the_ring() -> None:
    bell = Doorbell("redis://127.0.0.1:1/0", timeout_seconds=0.2)
    bell.ring(Task.DRAIN, 3)
    wait_until(lambda: bell.dropped == 1, timeout_seconds=10, what="the ring is given up")
    bell.close()


def test_every_task_has_a_queue_and_every_name_its_prefix() -> None:
    assert set(QUEUE_OF) == set(Task)
    assert all(str(name).startswith("turnfold.") for name in (*Task, *Queue))
