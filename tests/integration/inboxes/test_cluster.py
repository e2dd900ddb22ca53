"""With inboxes in a Redis Cluster, everything works as on one server; Celery's queues are on a separate server."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from support.celery_workers import CeleryWorker
from support.places import place
from support.redis_cluster import RedisCluster
from support.stored import stored_turns
from support.talk import talk
from turnfold import AsyncTurnfold, InvalidSettings, Settings, Turnfold, Unavailable
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold_worker.offline import fold
from turnfold_worker.operate.digest import digest

NAMES = [f"conv-{number}" for number in range(6)]


def test_celery_needs_a_broker_of_its_own_beside_a_cluster() -> None:
    settings = Settings(redis_url="redis+cluster://127.0.0.1:7000", database_url="sqlite:////tmp/none.db")
    with pytest.raises(InvalidSettings, match="TURNFOLD_BROKER_URL"):
        _ = settings.effective_broker_url


@pytest.mark.parametrize(
    "url", ["redis+cluster://", "redis+cluster://a:1/3", "redis+cluster://a:port", "redis+cluster://a:1,,b:2"]
)
def test_what_is_no_url_of_a_cluster_is_refused_before_anything_is_asked(url: str) -> None:
    tf = Turnfold(redis_url=url, database_url="sqlite:////tmp/none.db")
    with pytest.raises(InvalidSettings, match="cluster") as refused:
        tf.append("conv", {"role": "user", "content": "The mooring fee is 45 euros."})
    assert "redis+cluster://" in (refused.value.remedy or "")


def test_a_cluster_of_which_no_node_answers_is_unavailable() -> None:
    tf = Turnfold(redis_url="redis+cluster://127.0.0.1:1", database_url="sqlite:////tmp/none.db", timeout_seconds=1)
    with pytest.raises(Unavailable, match="did not answer"):
        tf.append("conv", {"role": "user", "content": "The mooring fee is 45 euros."})


@pytest.mark.processes
def test_conversations_go_through_a_cluster_to_workers_and_back(
    cluster_url: str, redis_url: str, sqlite_url: str, start_worker: Callable[..., CeleryWorker],
) -> None:  # fmt: skip
    start_worker(
        "all", *map(str, Queue), TURNFOLD_REDIS_URL=cluster_url, TURNFOLD_BROKER_URL=redis_url,
        TURNFOLD_DATABASE_URL=sqlite_url,
    )  # fmt: skip
    turns = {name: talk(name, 24) for name in NAMES}
    with Turnfold(redis_url=cluster_url, database_url=sqlite_url, tenant="acme") as tf:
        ids = {name: tf.append(name, turns[name][:20]).turn_ids for name in NAMES}
        for name in NAMES:
            tf.append(name, turns[name][20:])
            assert tf.wait(name, timeout_seconds=90).folded
        tf.edit(NAMES[0], ids[NAMES[0]][3], content="The mooring fee is 45 euros.")
        tf.wait(NAMES[0], timeout_seconds=90)
        assert "45 euros" in tf.context(NAMES[0], budget_tokens=4_000, query="What is the mooring fee?").text
        assert tf.forget(NAMES[1]).turns == 24

        async def read() -> list[str]:
            async with AsyncTurnfold(redis_url=cluster_url, database_url=sqlite_url, tenant="acme") as atf:
                await atf.append(NAMES[2], {"role": "user", "content": "Now the gate is green."})
                return [(await atf.context(name, budget_tokens=1_000)).text for name in NAMES[2:]]

        assert "Now the gate is green." in asyncio.run(read())[0]
    engine = connect(sqlite_url, write=False, timeout_seconds=10)
    for name in NAMES[3:]:
        with fold(turns[name], conversation_id=name) as folded:
            assert digest(engine, "acme", name) == folded.digest()
    assert stored_turns(engine, "acme", NAMES[1]) == []
    engine.dispose()


@pytest.mark.processes
@pytest.mark.parametrize("durable", [False, True])
def test_an_append_to_a_primary_that_hangs_ends_within_the_timeout(
    cluster_url: str, redis_nodes: RedisCluster, sqlite_url: str, durable: bool
) -> None:
    with Turnfold(redis_url=cluster_url, database_url=sqlite_url, timeout_seconds=2) as tf, hanging(tf, redis_nodes):
        begun = time.monotonic()
        with pytest.raises(Unavailable, match="did not answer"):
            tf.append("conv", {"role": "user", "content": "The mooring fee is 45 euros."}, durable=durable)
        took = time.monotonic() - begun
    # An upper bound, not a measurement: two attempts at a hanging socket take half a timeout each.
    assert took < 9


@contextmanager
def hanging(tf: Turnfold, cluster: RedisCluster) -> Iterator[None]:
    """Stop the primary of a conversation's shard within the block."""
    tf.append("conv", {"role": "user", "content": "The pier is open."})
    with cluster.client() as client:
        port = client.get_node_from_key(place(Address("default", "conv")).inbox).port
    (node,) = (node for node in cluster.primaries if node.port == port)
    assert node.pid is not None
    os.kill(node.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(node.pid, signal.SIGCONT)
        cluster.wait_until_it_serves()
