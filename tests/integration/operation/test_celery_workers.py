"""Real producers, Redis, `celery worker` processes and SQL, driven by pytest-celery's API.

The fixture `celery_worker` is pytest-celery's and starts a container, so the tests here use `celery_setup` instead.
"""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_celery import CeleryBrokerCluster, CeleryTestSetup, CeleryTestWorker, CeleryWorkerCluster, RedisTestBroker
from sqlalchemy import Engine, text

from support.celery_nodes import RedisContainer, TurnfoldSetup, WorkerContainer, WorkerNode
from support.celery_workers import CeleryWorker
from support.examples_folder import example
from support.places import place
from support.seals import unsealed
from support.stored import broken_invariants, stored_turns
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Queue, Task
from turnfold.database.engines import connect
from turnfold.errors import Unavailable
from turnfold.redis.connections import microseconds_of
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.offline import fold
from turnfold_worker.operate.digest import digest

pytestmark = pytest.mark.processes


Crew = Mapping[str, tuple[Queue, ...]]
"""Name of each worker -> the queues that it serves."""

ALL = (Queue.INGEST, Queue.COMPRESS, Queue.REFINE, Queue.MAINTENANCE)
on_postgresql = pytest.mark.daily_on("postgresql")
twins = pytest.mark.parametrize("crew", [pytest.param({"left": ALL, "right": ALL}, id="twins")])


@pytest.fixture
def redis_server(redis_server: RedisServer, server_folder: Path) -> Iterator[RedisServer]:
    """A broker for this test alone, which may kill it; skips as the shared one does."""
    with RedisServer(server_folder / "redis") as server:
        yield server


@pytest.fixture
def crew() -> Crew:
    """The workers to start; tests override it by parametrization."""
    return {"ingest": (Queue.INGEST, Queue.MAINTENANCE), "compress": (Queue.COMPRESS,)}


@pytest.fixture
def children() -> int:
    """Number of processes in each worker's pool."""
    return 1


@pytest.fixture
def celery_setup_cls() -> type[CeleryTestSetup]:
    return TurnfoldSetup


@pytest.fixture
def celery_broker_cluster(redis_server: RedisServer) -> CeleryBrokerCluster:
    return CeleryBrokerCluster(RedisTestBroker(RedisContainer(redis_server)))


@pytest.fixture
def celery_backend_cluster() -> None:
    """None, because Turnfold's tasks store no results; `celery_setup.ready(ping=True)` would need a backend."""


@pytest.fixture
def heartbeat_file(tmp_path: Path) -> Path:
    return tmp_path / "heartbeat"


@pytest.fixture
def celery_worker_cluster(
    celery_environment: Mapping[str, str], crew: Crew, children: int, heartbeat_file: Path, tmp_path: Path
) -> Iterator[CeleryWorkerCluster]:
    environment = {**celery_environment, "TURNFOLD_HEARTBEAT_FILE": str(heartbeat_file)}
    workers = [CeleryWorker(name, queues, environment, tmp_path, children=children) for name, queues in crew.items()]
    nodes = [WorkerNode(WorkerContainer(worker), app=None) for worker in workers]
    try:
        for worker in workers:
            worker.start(wait=False)
        for worker in workers:
            worker.wait_until_ready()
        yield CeleryWorkerCluster(*nodes)
    finally:
        for node in nodes:
            node.teardown()


@pytest.fixture
def ringing(settings: Settings, celery_setup: CeleryTestSetup) -> Iterator[Turnfold]:
    """A client whose doorbells reach the workers."""
    with Turnfold(settings=dataclasses.replace(settings, doorbell=True)) as client:
        yield client


def assert_folded_as_if_undisturbed(engine: Engine, turns: list[dict[str, object]]) -> None:
    with fold(turns, conversation_id="c") as offline:
        assert digest(engine, "acme", "c") == offline.digest()
    assert broken_invariants(engine) == {}


@contextmanager
def held_up(database_url: str) -> Iterator[None]:
    """Lock out other writers, so that a task at work stays at it."""
    engine = connect(database_url, write=True, timeout_seconds=30)
    try:
        # On SQLite, BEGIN itself takes the only lock.
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE conversation IN EXCLUSIVE MODE"))
            yield
    finally:
        engine.dispose()


def claimed(server: RedisServer) -> bool:
    """Return whether a worker holds the lease on the inbox of `c` and Redis has written it to disk."""
    address = Address("acme", "c")
    with server.client() as client:
        lease_until = client.zscore(place(address).ready, address.conversation) or 0
        unwritten: int = client.info("persistence")["aof_buffer_length"]
    return lease_until > microseconds_of(client) and unwritten == 0


def at_work(setup: CeleryTestSetup, server: RedisServer) -> CeleryTestWorker:
    """Return the worker that has received the drain that is held up."""
    wait_until(lambda: claimed(server), what="a worker claims the inbox")

    def alone() -> CeleryTestWorker | None:
        # A drain is logged when it is received and when it ends; one without work ends at once.
        busy = [worker for worker in setup.worker_cluster if worker.logs().count(f"{Task.DRAIN}[") % 2]
        return busy[0] if len(busy) == 1 else None

    return wait_until(alone, what="one worker alone is at a drain")


@on_postgresql
def test_appended_turns_are_stored_and_folded_by_worker_processes(
    celery_setup: CeleryTestSetup, ringing: Turnfold, engine: Engine
) -> None:
    assert celery_setup.ready(control=True, docker=True)
    turns = example()
    for start in range(0, len(turns), 9):
        ringing.append("c", turns[start : start + 9])
    status = ringing.wait("c", timeout_seconds=90)
    assert (status.stored, status.folded, status.inbox) == (len(turns), len(turns), 0)
    receipt_of_another = ringing.append("d", {"role": "user", "content": "Hello."})
    ringing.wait("d")
    assert [row[1] for row in stored_turns(engine, "acme", "d")] == list(receipt_of_another.turn_ids)
    with fold(turns, conversation_id="c") as offline:
        assert digest(engine, "acme", "c") == offline.digest()
        ours = ringing.context("c", budget_tokens=1_500)
        assert unsealed(ours.text) == unsealed(offline.context(budget_tokens=1_500).text)
    receipt = ringing.forget("c")
    assert receipt.completed
    assert receipt.turns == len(turns)
    assert stored_turns(engine, "acme", "c") == []
    assert broken_invariants(engine) == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_log_says_what_was_done_to_whom_and_never_what_was_said(
    celery_setup: CeleryTestSetup, ringing: Turnfold
) -> None:
    ringing.append(
        "c", [{"role": "user", "content": f"We decided to launch from Zanzibar, take {n}."} for n in range(60)]
    )
    ringing.wait("c", timeout_seconds=90)
    ingest, compress = celery_setup.worker_cluster

    ingest.assert_log_exists("turns stored: 60")
    compress.assert_log_exists("conversations folded: 1; segments: ")
    assert "Zanzibar" not in ingest.logs() + compress.logs()


@pytest.mark.daily_on("sqlite")
def test_without_doorbells_and_beat_the_workers_own_timer_finds_everything(
    celery_setup: CeleryTestSetup, tf: Turnfold
) -> None:
    tf.append("c", example()[:60])
    assert tf.wait("c", timeout_seconds=90).folded == 60


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("crew", [pytest.param({"all": ALL}, id="one")])
def test_a_worker_touches_its_heartbeat_file_while_the_broker_answers(
    celery_setup: CeleryTestSetup, heartbeat_file: Path
) -> None:
    wait_until(heartbeat_file.exists)
    heartbeat_file.unlink()
    assert wait_until(heartbeat_file.exists, what="the file is touched again and again")


@on_postgresql
@pytest.mark.parametrize("crew", [pytest.param({"all": ALL}, id="one")])
@pytest.mark.parametrize("children", [2])
@pytest.mark.long
def test_one_worker_for_all_queues_is_enough(celery_setup: CeleryTestSetup, tf: Turnfold) -> None:
    tf.append("c", example()[:60])
    assert tf.wait("c", timeout_seconds=90).folded == 60


@on_postgresql
@twins
def test_a_worker_killed_at_its_work_is_stood_in_for_by_another(
    celery_setup: CeleryTestSetup, ringing: Turnfold, redis_server: RedisServer, database_url: str, engine: Engine
) -> None:
    turns = example()
    with held_up(database_url):
        ringing.append("c", turns)
        victim = at_work(celery_setup, redis_server)
        victim.kill()
        assert stored_turns(engine, "acme", "c") == []
    (survivor,) = (worker for worker in celery_setup.worker_cluster if worker != victim)

    assert ringing.wait("c", timeout_seconds=90).folded == len(turns)

    assert not celery_setup.ready(docker=True)
    survivor.assert_log_exists(f"turns stored: {len(turns)}")
    assert_folded_as_if_undisturbed(engine, turns)
    victim.restart()
    assert celery_setup.ready(control=True, docker=True)


@on_postgresql
@pytest.mark.parametrize("crew", [pytest.param({"all": ALL}, id="one")])
def test_a_process_killed_at_its_work_is_replaced_and_the_log_says_what_killed_it(
    celery_setup: CeleryTestSetup, ringing: Turnfold, redis_server: RedisServer, database_url: str, engine: Engine
) -> None:
    turns = example()
    with held_up(database_url):
        ringing.append("c", turns)
        worker = at_work(celery_setup, redis_server)
        parent, child = (row["pid"] for row in worker.get_running_processes_info(["pid"]))
        os.kill(child, signal.SIGKILL)
        worker.assert_log_exists("signal 9 (SIGKILL)")

    assert ringing.wait("c", timeout_seconds=90).folded == len(turns)

    assert {parent} < {row["pid"] for row in worker.get_running_processes_info(["pid"])} - {child}
    assert_folded_as_if_undisturbed(engine, turns)


@on_postgresql
@twins
def test_work_goes_on_when_the_broker_is_back(
    celery_setup: CeleryTestSetup, ringing: Turnfold, redis_server: RedisServer, database_url: str, engine: Engine
) -> None:
    turns = example()
    half = len(turns) // 2
    with held_up(database_url):
        ringing.append("c", turns[:half])
        at_work(celery_setup, redis_server)
        celery_setup.broker.kill()
    with pytest.raises(Unavailable) as refused:
        ringing.append("c", turns[half:])
    for worker in celery_setup.worker_cluster:
        worker.assert_log_exists("Connection to broker lost. Trying to re-establish the connection")
        # The error is redis' own or Kombu's, depending on whether the mark or the message met the outage.
        worker.assert_log_exists("no sweeps are requested until Redis answers")

    celery_setup.broker.restart()
    ringing.append("c", refused.value.turns)

    assert ringing.wait("c", timeout_seconds=90).folded == len(turns)
    assert celery_setup.ready(control=True, docker=True)
    assert_folded_as_if_undisturbed(engine, turns)
