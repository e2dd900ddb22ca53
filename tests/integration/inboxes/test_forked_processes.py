"""A client used before a fork works in the child: servers such as gunicorn preload the application, then fork."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import pytest
import redis

from conftest import LocalWorker
from support.places import shard_of
from support.stored import stored_turns
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Queue

TURNS = 60


def hammer(tf: Turnfold, name: str) -> list[int]:
    """Mix appends and reads in one process; return the stored counts that were read."""
    seen: list[int] = []
    for number in range(TURNS):
        tf.append(name, {"role": "user", "content": f"{name} {number}", "turn_id": f"{name}-{number}"})
        seen.append(tf.status("shared").stored)
        assert f"{name} {number}" in tf.context(name, budget_tokens=2_000).text
    return seen


def redis_connection(tf: Turnfold) -> int:
    """Return Redis's id of this process's connection."""
    tf.status("shared")
    return int(tf._resources._connected().home.client_id())


def in_child(tf: Turnfold, report: Connection) -> None:
    try:
        report.send((redis_connection(tf), hammer(tf, "child")))
        tf.close()
    except BaseException as error:
        report.send(error)
        raise


@pytest.fixture
def child(tf: Turnfold, local: LocalWorker) -> tuple[Any, Connection]:
    """A forked process that uses the parent's client, which was in use before the fork."""
    tf.append("shared", {"role": "user", "content": "Before the fork."})
    local.settle()
    assert tf.status("shared").stored == 1
    here, there = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    return context.Process(target=in_child, args=(tf, there)), here


def test_parent_and_child_use_connections_of_their_own_at_the_same_time(
    tf: Turnfold, local: LocalWorker, child: tuple[Any, Connection]
) -> None:
    process, report = child
    before = redis_connection(tf)
    process.start()
    assert hammer(tf, "parent") == [1] * TURNS
    assert report.poll(90), "the child says nothing"
    answer = report.recv()
    process.join(90)
    assert not isinstance(answer, BaseException), answer
    connection, seen = answer
    assert connection != before
    assert seen == [1] * TURNS
    assert process.exitcode == 0
    assert redis_connection(tf) == before
    local.settle()
    for name in ("parent", "child"):
        stored = [turn_id for _, turn_id, _ in stored_turns(local.engine, "acme", name)]
        assert stored == [f"{name}-{number}" for number in range(TURNS)]


def fork_and_run(work: Callable[[], object]) -> Any:
    """Return what a forked process sends back."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: there.send(work()))
    process.start()
    assert here.poll(90), "the child says nothing"
    answer = here.recv()
    process.join(90)
    assert process.exitcode == 0
    return answer


def test_a_view_made_before_the_fork_works_in_the_child(tf: Turnfold) -> None:
    view = tf.for_tenant("other")
    view.status("c")

    def work() -> int:
        view.append("c", {"role": "user", "content": "From the child."})
        return view.status("c").inbox

    assert fork_and_run(work) == 1
    assert view.status("c").inbox == 1


def test_a_fork_while_another_thread_opens_a_connection_does_not_lock_the_child_out(tf: Turnfold) -> None:
    with tf._resources._lock:
        assert fork_and_run(lambda: tf.status("c").stored) == 0


def test_the_childs_doorbell_rings_though_the_thread_stayed_with_the_parent(redis_url: str, database_url: str) -> None:
    with (
        Turnfold(redis_url=redis_url, database_url=database_url, celery_doorbell=True) as tf,
        redis.Redis.from_url(redis_url) as client,
    ):
        tf.append("c", {"role": "user", "content": "From the parent."})
        wait_until(lambda: client.llen(Queue.INGEST) == 1, what="the parent rings")
        client.delete(keys.bell(shard_of(Address("default", "c"))))

        def work() -> bool:
            tf.append("c", {"role": "user", "content": "From the child."})
            return bool(wait_until(lambda: client.llen(Queue.INGEST) == 2, what="the child rings"))

        assert fork_and_run(work)
