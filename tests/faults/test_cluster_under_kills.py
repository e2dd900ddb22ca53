"""A Redis Cluster moves slots and loses primaries while producers append and workers store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from support.celery_workers import CeleryWorker
from support.places import shard_of
from support.redis_cluster import RedisCluster, redis_cluster
from support.server_folders import own_folder
from support.stored import broken_invariants, judge, stored_turns
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold, Unavailable
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold_worker.offline import fold
from turnfold_worker.operate.digest import digest

TURNS = 60
NAMES = [f"conv-{number}" for number in range(8)]
TALKS = {name: [{**turn, "turn_id": f"{name}-{n}"} for n, turn in enumerate(talk(name, TURNS))] for name in NAMES}


@contextmanager
def appending(tf: Turnfold, *, durable: bool) -> Iterator[list[threading.Thread]]:
    """Append each conversation in its own thread, turn by turn, retrying each turn until Redis has acknowledged it."""
    failures: list[str] = []

    def append(name: str) -> None:
        try:
            for turn in TALKS[name]:
                wait_until(lambda turn=turn: _is_appended(tf, name, turn, durable=durable))
        except Exception as error:
            failures.append(f"{name}: {error}")
            raise

    threads = [threading.Thread(target=append, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    yield threads
    for thread in threads:
        thread.join(120)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)


def _is_appended(tf: Turnfold, name: str, turn: dict[str, Any], *, durable: bool) -> bool:
    try:
        tf.append(name, turn, durable=durable)
    except Unavailable:
        return False
    return True


def settled(tf: Turnfold, database_url: str) -> None:
    """Wait until everything is folded; check that no turn is lost, duplicated or reordered, and the rows' digests."""
    for name in NAMES:
        wait_until(lambda name=name: tf.status(name).folded == TURNS, what=f"{name} is folded")
    engine = connect(database_url, write=False, timeout_seconds=10)
    appended = {name: [turn["content"] for turn in TALKS[name]] for name in NAMES}
    stored = {name: [content for _, _, content in stored_turns(engine, "acme", name)] for name in NAMES}
    assert judge(appended, stored).clean, judge(appended, stored)
    assert broken_invariants(engine) == {}
    for name in NAMES:
        with fold(TALKS[name], conversation_id=name) as folded:
            assert digest(engine, "acme", name) == folded.digest()
    engine.dispose()


def move(slot: int, cluster: RedisCluster, from_: int, to: int) -> None:
    """Move a slot with all its keys to another node, as `redis-cli --cluster reshard` does."""
    giver, taker = cluster.primaries[from_], cluster.primaries[to]
    with giver.client() as gives, taker.client() as takes:
        ids = [str(client.execute_command("CLUSTER", "MYID")) for client in (gives, takes)]
        takes.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[0])
        gives.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[1])
        while names := gives.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 100):
            gives.execute_command("MIGRATE", "127.0.0.1", taker.port, "", 0, 5_000, "KEYS", *names)
        for client in (takes, gives):
            client.execute_command("CLUSTER", "SETSLOT", slot, "NODE", ids[1])


@pytest.mark.long
def test_nothing_is_lost_while_slots_move_from_node_to_node(
    cluster_url: str, redis_url: str, sqlite_url: str, redis_nodes: RedisCluster,
    start_worker: Callable[..., CeleryWorker],
) -> None:  # fmt: skip
    start_worker(
        "all", *map(str, Queue), TURNFOLD_REDIS_URL=cluster_url, TURNFOLD_BROKER_URL=redis_url,
        TURNFOLD_DATABASE_URL=sqlite_url,
    )  # fmt: skip
    shards = sorted({shard_of(Address("acme", name)) for name in NAMES})
    with redis_nodes.client() as client:
        slots = {client.keyslot(keys.tenants(shard)) for shard in shards}
        owners = {slot: _owner_of(client, redis_nodes, slot) for slot in slots}
    with Turnfold(redis_url=cluster_url, database_url=sqlite_url, tenant="acme") as tf:
        with appending(tf, durable=False) as threads:
            moves = 0
            while any(thread.is_alive() for thread in threads) or moves < len(slots):
                for slot in slots:
                    move(slot, redis_nodes, owners[slot], (owners[slot] + 1) % 3)
                    owners[slot] = (owners[slot] + 1) % 3
                    moves += 1
        settled(tf, sqlite_url)


def _owner_of(client: redis.RedisCluster, cluster: RedisCluster, slot: int) -> int:
    port = client.nodes_manager.get_node_from_slot(slot).port
    return [node.port for node in cluster.primaries].index(port)


@pytest.mark.long
def test_what_a_replica_confirmed_outlives_a_primary_that_is_killed(
    redis_url: str, sqlite_url: str, redis_program: None, start_worker: Callable[..., CeleryWorker], tmp_path: Path
) -> None:
    with own_folder() as folder, redis_cluster(folder, replicas=3) as cluster:
        start_worker(
            "all", *map(str, Queue), TURNFOLD_REDIS_URL=cluster.url, TURNFOLD_BROKER_URL=redis_url,
            TURNFOLD_DATABASE_URL=sqlite_url,
        )  # fmt: skip
        with Turnfold(redis_url=cluster.url, database_url=sqlite_url, tenant="acme", timeout_seconds=2) as tf:
            with appending(tf, durable=True):
                wait_until(lambda: tf.status(NAMES[0]).stored > 5, what="turns are stored")
                cluster.primaries[0].kill()
                with cluster.replicas[0].client() as client:
                    wait_until(lambda: client.info("replication")["role"] == "master", what="the replica takes over")
                # The old primary returns as a replica of the new one, which has no other replica to confirm writes.
                cluster.primaries[0].start()
            settled(tf, sqlite_url)
