"""No forged message on the broker ends a worker, runs code, or delays due work."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
import redis
from celery import Celery

from support.celery_workers import CeleryWorker
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.tasks import Queue, Task
from turnfold_worker.celery_parts.remote_control import MOST_EXPIRED
from turnfold_worker.tasks import compress, drain, erase, reconstruct

QUEUES = (str(Queue.INGEST), str(Queue.COMPRESS), str(Queue.MAINTENANCE))
WRONG: tuple[Any, ...] = ("12", None, True, 3.5, -1, 2**63, 10**30, [1], {"a": 1}, "1); DROP TABLE job")


def message(body: bytes, *, content_type: str = "application/json", **headers: Any) -> bytes:
    """A message in the form in which kombu stores it in a Redis list."""
    told = {
        "body": b64encode(body).decode(), "content-encoding": "utf-8", "content-type": content_type,
        "headers": {"task": str(Task.DRAIN), "id": "forged", **headers},
        "properties": {
            "body_encoding": "base64", "delivery_tag": "forged",
            "delivery_info": {"exchange": "", "routing_key": str(Queue.INGEST)},
        },
    }  # fmt: skip
    return json.dumps(told).encode()


UNREADABLE = (
    b'{"__type__": "bytes", "__value__": 1}', b'{"__type__": [], "__value__": 1}',
    b'{"__type__": "decimal", "__value__": "x"}',
    b"[" * 1_000, b"garbage", b"\xff\xfe\x00", b"{}", b"[]", b"null", b"17", b'{"body": "x"}', b'{"properties": null}',
    json.dumps({"body": "!!!", "properties": {"body_encoding": "base64", "delivery_tag": "t"}}).encode(),
    json.dumps({"body": "e30=", "headers": None, "properties": {"delivery_tag": [1], "delivery_info": {}}}).encode(),
)  # fmt: skip
STRANGE = (
    message(b"[[], {}, {}]"), message(b"{}"), message(b"not JSON"), message(b"[[3], {}, {}]", task="os.system"),
    message(b"[[3], {}, {}]", task=None), message(b"\x80\x04.", content_type="application/x-python-serialize"),
)  # fmt: skip
ODD = ("zz", "", None, True, -1, 3.5, 10**30, [1], {"a": 1})
HEADERS = (
    "eta", "expires", "timelimit", "retries", "argsrepr", "origin", "compression", "root_id", "group", "shadow",
    "ignore_result", "stamped_headers", "stamps", "id", "task",
)  # fmt: skip
MUTATED = (
    *(message(b"[[3], {}, {}]", **{header: value}) for header in HEADERS for value in ODD),
    *(
        json.dumps({**json.loads(message(b"[[3], {}, {}]")), part: value}).encode()
        for part in ("content-encoding", "content-type", "headers", "properties") for value in ODD
    ),
    *(message(json.dumps([[3], {}, {after: value}]).encode()) for after in ("chain", "callbacks") for value in ODD),
)  # fmt: skip


@pytest.mark.processes
def test_no_message_ends_a_worker_or_holds_up_what_is_due(
    tf: Turnfold, redis_url: str, client: redis.Redis, start_worker: Callable[..., CeleryWorker]
) -> None:
    worker = start_worker("attacked", *QUEUES)
    parent = worker.pid
    app = Celery("forger", broker=redis_url, set_as_current=False)
    for queue in QUEUES:
        client.lpush(queue, *UNREADABLE, *STRANGE, *MUTATED)
        for task in Task:
            for wrong in WRONG:
                app.send_task(str(task), args=[wrong], queue=queue)
            app.send_task(str(task), args=[1, 2, 3, 4], queue=queue)
            app.send_task(str(task), kwargs={"evil": 1}, queue=queue)
    tf.append("c", {"role": "user", "content": "We must use port 7731."})
    assert tf.wait("c", timeout_seconds=120).folded == 1
    assert worker.pid == parent
    log = worker.log.read_text(errors="replace")
    assert log.count("an unreadable message was dropped") >= len(QUEUES) * len(UNREADABLE) - len(QUEUES)
    assert "Unrecoverable" not in log


@pytest.mark.parametrize("wrong", WRONG)
def test_a_task_refuses_an_argument_that_is_no_number(wrong: object) -> None:
    """The task raises a `BadMessage` that explains the mistake, before it opens any connection."""
    calls = [(drain, [wrong]), (erase, [wrong]), (reconstruct, [1, wrong, 0])]
    # `None` is what the other tasks send to `compress`.
    calls += [] if wrong is None else [(compress, [wrong])]
    answers = [task.apply(args=arguments).result for task, arguments in calls]
    assert {type(answer).__name__ for answer in answers} == {"BadMessage"}
    assert all("whole number" in str(answer) for answer in answers)


@pytest.mark.processes
def test_a_worker_answers_questions_and_takes_no_orders(
    redis_url: str, start_worker: Callable[..., CeleryWorker]
) -> None:
    worker = start_worker("asked", *QUEUES)
    parent = worker.pid
    control = Celery("commander", broker=redis_url, set_as_current=False).control
    wait_until(lambda: control.ping(timeout=1))
    for order in ("shutdown", "pool_shrink", "pool_restart", "terminate", "autoscale", "objgraph"):
        control.broadcast(order)
    control.cancel_consumer(str(Queue.INGEST))
    control.rate_limit(str(Task.DRAIN), "1/h")
    control.time_limit(str(Task.DRAIN), soft=0.001, hard=0.001)
    asking = control.inspect(timeout=5)
    (queues,) = (asking.active_queues() or {}).values()
    (stats,) = (asking.stats() or {}).values()
    assert {queue["name"] for queue in queues} == set(QUEUES)
    assert stats["pid"] == parent
    assert worker.pid == parent


@pytest.mark.processes
def test_a_worker_forgets_which_messages_came_too_late(
    redis_url: str, client: redis.Redis, start_worker: Callable[..., CeleryWorker]
) -> None:
    worker = start_worker("late", *QUEUES)
    app = Celery("late", broker=redis_url, set_as_current=False)
    with app.producer_pool.acquire(block=True) as producer:
        for _ in range(MOST_EXPIRED + 200):
            app.send_task(str(Task.COMPRESS), queue=str(Queue.COMPRESS), expires=-1, producer=producer)
    late = "Discarding revoked task"
    wait_until(lambda: worker.log.read_text().count(late) == MOST_EXPIRED + 200)
    (kept,) = (app.control.inspect(timeout=5).revoked() or {}).values()
    assert len(kept) == MOST_EXPIRED
