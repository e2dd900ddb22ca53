"""While Redis or SQL is down or does not reply, calls raise `Unavailable`, work waits, and nothing hangs."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.celery_workers import CeleryWorker
from support.interruptions import Steps, interrupted
from support.places import SHARDS, shard_of
from support.stored import stored_turns
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold.errors import Unavailable
from turnfold.settings import Settings
from turnfold_worker.adapters.sql.jobs import fold_job
from turnfold_worker.adapters.sql.store import SqlStore
from turnfold_worker.errors import StoreAway
from turnfold_worker.local.redis_server import RedisServer

CONVERSATION = "chat"
TIMEOUT_SECONDS = 2.0
FAR_LONGER_SECONDS = 40.0
"""A call that takes this long hangs; tests on busy machines do not check shorter durations."""

Locked = Callable[[], AbstractContextManager[None]]

VERBS: dict[str, Callable[[Turnfold], object]] = {
    "append": lambda tf: tf.append(CONVERSATION, {"role": "user", "content": "Hello."}),
    "configure": lambda tf: tf.configure(CONVERSATION, goal="a goal"),
    "forget": lambda tf: tf.forget(CONVERSATION, timeout_seconds=0),
    "context": lambda tf: tf.context(CONVERSATION, budget_tokens=1_000),
    "expand": lambda tf: tf.expand(CONVERSATION, "L0:turns-1-1"),
    "search": lambda tf: tf.search(CONVERSATION, "hello"),
    "anchors": lambda tf: tf.anchors(CONVERSATION),
    "status": lambda tf: tf.status(CONVERSATION),
    "wait": lambda tf: tf.wait(CONVERSATION, timeout_seconds=1),
}
READS = ("context", "expand", "search", "anchors", "status", "wait")


@contextmanager
def silent_server() -> Iterator[int]:
    """A port that accepts connections and never replies."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


@contextmanager
def refusing_server() -> Iterator[int]:
    """A port on which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


Server = Callable[[], AbstractContextManager[int]]

SERVERS = [pytest.param(refusing_server, id="refuses"), pytest.param(silent_server, id="says-nothing")]


def outcome_of(call: Callable[[], object]) -> object:
    """Return what `call` returned or raised; fail if it hangs."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:  # noqa: BLE001 - it is what the test looks at
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(FAR_LONGER_SECONDS)
    assert outcome, "it hangs"
    return outcome[0]


def client_of(**urls: str) -> Turnfold:
    return Turnfold(settings=Settings(timeout_seconds=TIMEOUT_SECONDS, **urls))  # type: ignore[arg-type]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_that_redis_is_away(database_url: str, server: Server, verb: str) -> None:
    with server() as port, client_of(redis_url=f"redis://127.0.0.1:{port}/0", database_url=database_url) as tf:
        outcome = outcome_of(lambda: VERBS[verb](tf))

    assert isinstance(outcome, Unavailable), outcome
    assert "Redis" in str(outcome)


def test_a_failed_append_hands_back_its_turns_and_repeating_it_doubles_nothing(
    database_url: str, settings: Settings, local: LocalWorker
) -> None:
    with refusing_server() as port, client_of(redis_url=f"redis://127.0.0.1:{port}/0", database_url=database_url) as tf:
        error = outcome_of(lambda: tf.append(CONVERSATION, talk(1, 5)))
    assert isinstance(error, Unavailable)
    assert error.turns

    with Turnfold(settings=settings) as tf:
        for _ in range(2):
            tf.append(CONVERSATION, error.turns)
            local.settle()

    stored = stored_turns(local.engine, settings.tenant, CONVERSATION)
    assert [content for _, _, content in stored] == [message["content"] for message in talk(1, 5)]


@pytest.mark.parametrize("verb", READS)
def test_every_read_says_that_sqlite_is_away(redis_url: str, tmp_path: Path, verb: str) -> None:
    url = f"sqlite:///{tmp_path / 'nowhere' / 'turnfold.db'}"
    with client_of(redis_url=redis_url, database_url=url) as tf:
        outcome = outcome_of(lambda: VERBS[verb](tf))

    assert isinstance(outcome, Unavailable), outcome
    assert "TURNFOLD_DATABASE_URL" in str(outcome)


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("verb", ["context", "wait"])
def test_reads_say_that_postgresql_is_away(redis_url: str, server: Server, verb: str) -> None:
    pytest.importorskip("psycopg")
    with server() as port:
        url = f"postgresql+psycopg://me@127.0.0.1:{port}/turnfold"
        with client_of(redis_url=redis_url, database_url=url) as tf:
            outcome = outcome_of(lambda: VERBS[verb](tf))

    assert isinstance(outcome, Unavailable), outcome
    assert "database" in str(outcome)


def test_appends_need_no_database_once_redis_knows_how_inboxes_are_laid_out(
    redis_url: str, database_url: str, tmp_path: Path
) -> None:
    with client_of(redis_url=redis_url, database_url=database_url) as tf:
        assert tf.append("another", talk(1, 1)).turn_ids
    url = f"sqlite:///{tmp_path / 'nowhere' / 'turnfold.db'}"
    with client_of(redis_url=redis_url, database_url=url) as tf:
        assert tf.append(CONVERSATION, talk(1, 3)).turn_ids


def test_a_broker_that_says_nothing_holds_up_no_append(redis_url: str, database_url: str) -> None:
    with silent_server() as port:
        urls = {"redis_url": redis_url, "broker_url": f"redis://127.0.0.1:{port}/0", "database_url": database_url}
        with client_of(**urls) as tf:
            for message in talk(1, 5):
                tf.append(CONVERSATION, message)

            assert tf.status(CONVERSATION).inbox == 5


@pytest.fixture
def locked(database_url: str) -> Locked:
    """Returns a context manager that locks out every other writer of the database."""

    @contextmanager
    def lock() -> Iterator[None]:
        path = database_url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")

    return lock


@contextmanager
def impatient(local: LocalWorker) -> Iterator[None]:
    """Let the worker wait only a moment for SQLite's lock."""
    store = local.worker.store
    assert isinstance(store, SqlStore)
    patient = store._engine
    store._engine = connect(local.worker.settings.database_url, write=True, timeout_seconds=0.05)
    yield
    store._engine.dispose()
    store._engine = patient


@contextmanager
def down(local: LocalWorker, locked: Locked) -> Iterator[None]:
    """Make every write of the worker fail quickly."""
    with locked(), impatient(local):
        yield


def test_a_drain_that_cannot_write_leaves_every_turn_in_the_inbox(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], locked: Locked
) -> None:
    local = make_worker(lease_seconds=0.001, republish_seconds=0.001)
    tf.append(CONVERSATION, talk(1, 12))

    with locked(), impatient(local), pytest.raises(StoreAway):
        local.worker.drain(shard_of(Address(tf.tenant, CONVERSATION)))

    assert tf.status(CONVERSATION).inbox == 12
    local.settle()

    stored = stored_turns(local.engine, tf.tenant, CONVERSATION)
    assert [content for _, _, content in stored] == [message["content"] for message in talk(1, 12)]


def test_a_fold_that_cannot_write_is_done_later(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], locked: Locked
) -> None:
    local = make_worker(lease_seconds=0.001, republish_seconds=0.001)
    tf.append(CONVERSATION, talk(1, 40))
    local.worker.drain(shard_of(Address(tf.tenant, CONVERSATION)))
    (conversation,) = local.worker.store.resolve([Address(tf.tenant, CONVERSATION)])

    with locked(), impatient(local), pytest.raises(StoreAway):
        local.worker.compress(conversation)
    local.settle()

    assert tf.status(CONVERSATION).folded == 40


def test_threads_that_give_the_same_claims_back_do_not_fail_each_other(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", {"role": "user", "content": "Hi."})
    for shard in SHARDS:
        local.worker.drain(shard)
    store = local.worker.store
    assert isinstance(store, SqlStore)
    first = store.claim_fold(ConversationId(1))
    assert first is not None
    store._untold[first.claim] = fold_job(ConversationId(1))
    both = threading.Barrier(2)
    copied = store._giving_back

    def together(*given: Any, **named: Any) -> Any:
        # Both threads have seen the fold that is to be given back before either gives it back.
        both.wait(10)
        return copied(*given, **named)

    store._giving_back = together  # type: ignore[method-assign]
    with ThreadPoolExecutor(2) as pool:
        claims = [*pool.map(store.claim_fold, [ConversationId(1)] * 2)]
    assert [claim is None for claim in claims].count(False) == 1
    assert store._untold == {}


def test_an_outage_that_ends_every_try_is_not_counted_even_when_it_cannot_be_said_at_once(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], locked: Locked, engine: Engine
) -> None:
    local = make_worker(lease_seconds=30, republish_seconds=0.001)
    tf.append(CONVERSATION, talk(1, 40))
    local.worker.drain(shard_of(Address(tf.tenant, CONVERSATION)))
    (conversation,) = local.worker.store.resolve([Address(tf.tenant, CONVERSATION)])
    for _ in range(2 * local.worker.settings.attempts):
        with ExitStack() as outage:
            steps = Steps()
            steps.at["after claim_fold"] = lambda outage=outage: outage.enter_context(down(local, locked))
            with pytest.raises(StoreAway):
                interrupted(local.worker, steps).compress(conversation)
    local.settle()

    assert tf.status(CONVERSATION).folded == 40
    assert tf.status(CONVERSATION).parked == 0
    with engine.begin() as connection:
        assert connection.scalars(text("SELECT DISTINCT method FROM node WHERE height = 0")).all() == [1]


def test_an_outage_among_many_folds_gives_all_of_them_back(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], locked: Locked, engine: Engine
) -> None:
    local = make_worker(lease_seconds=3_600, republish_seconds=0.001)
    names = [f"c{number}" for number in range(4)]
    for name in names:
        tf.append(name, talk(name, 6))
        local.worker.drain(shard_of(Address(tf.tenant, name)))
    for _ in range(2 * local.worker.settings.attempts):
        with ExitStack() as outage:
            steps = Steps()
            steps.at["after claim_folds"] = lambda outage=outage: outage.enter_context(down(local, locked))
            with pytest.raises(StoreAway):
                interrupted(local.worker, steps).fold_due()
    local.settle()

    assert [tf.status(name).folded for name in names] == [6] * 4
    assert [tf.status(name).parked for name in names] == [0] * 4
    with engine.begin() as connection:
        assert connection.scalars(text("SELECT DISTINCT attempts FROM job WHERE kind = 'compress'")).all() == [0]


def test_the_try_of_another_worker_is_not_taken_back(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], locked: Locked, engine: Engine
) -> None:
    early, late = (make_worker(lease_seconds=0.001, republish_seconds=0.001) for _ in range(2))
    tf.append(CONVERSATION, talk(1, 40))
    early.worker.drain(shard_of(Address(tf.tenant, CONVERSATION)))
    (conversation,) = early.worker.store.resolve([Address(tf.tenant, CONVERSATION)])
    with ExitStack() as outage:
        steps = Steps()
        steps.at["after claim_fold"] = lambda: outage.enter_context(down(early, locked))
        with pytest.raises(StoreAway):
            interrupted(early.worker, steps).compress(conversation)
    taken = late.worker.store.claim_fold(conversation)
    assert taken is not None

    early.worker.compress(-1)

    with engine.begin() as connection:
        assert connection.execute(text("SELECT state, claim FROM job")).one() == ("running", taken.claim)


@pytest.fixture
def own_redis(server_folder: Path) -> Iterator[RedisServer]:
    """A Redis that may be stopped without hurting other tests."""
    with RedisServer(server_folder / "redis") as server:
        yield server


def all_folded(engine: Engine, turns: int) -> bool:
    with engine.begin() as connection:
        folded = connection.scalar(text("SELECT COALESCE(SUM(fold_seq), 0) FROM conversation"))
    return folded == turns


@pytest.mark.processes
def test_workers_survive_a_redis_that_stops_answering(
    own_redis: RedisServer,
    database_url: str,
    engine: Engine,
    celery_environment: dict[str, str],
    start_worker: Callable[..., CeleryWorker],
) -> None:
    worker = start_worker(
        "all", *map(str, (Queue.INGEST, Queue.MAINTENANCE, Queue.COMPRESS)),
        TURNFOLD_REDIS_URL=own_redis.url, TURNFOLD_TIMEOUT_SECONDS="1",
    )  # fmt: skip
    with client_of(redis_url=own_redis.url, database_url=database_url) as tf:
        tf.append(CONVERSATION, talk(1, 20))
        wait_until(lambda: all_folded(engine, 20), what="the first turns are folded")
        assert own_redis.pid is not None

        os.kill(own_redis.pid, signal.SIGSTOP)
        refused = outcome_of(lambda: tf.append(CONVERSATION, talk(2, 20)))
        wait_until(lambda: "no sweeps are requested" in worker.log.read_text(), what="the worker meets the outage")
        os.kill(own_redis.pid, signal.SIGCONT)
        assert isinstance(refused, Unavailable)
        wait_until(lambda: outcome_of(own_redis.client().ping) is True, what="Redis answers")
        tf.append(CONVERSATION, refused.turns)

        wait_until(lambda: all_folded(engine, 40), what=f"all is folded, see {worker.log}")
        assert [row[2] for row in stored_turns(engine, tf.tenant, CONVERSATION)] == [
            message["content"] for message in (*talk(1, 20), *talk(2, 20))
        ]


@pytest.mark.processes
def test_workers_survive_a_database_that_is_not_there_yet(
    settings: Settings, database_url: str, engine: Engine, start_worker: Callable[..., CeleryWorker]
) -> None:
    with Turnfold(settings=settings) as tf:
        tf.append(CONVERSATION, talk(1, 20)[:1])
    path = Path(database_url.removeprefix("sqlite:///"))
    elsewhere = path.rename(path.with_suffix(".away"))
    worker = start_worker("all", *map(str, (Queue.INGEST, Queue.MAINTENANCE, Queue.COMPRESS)))
    with Turnfold(settings=settings) as tf:
        tf.append(CONVERSATION, talk(1, 20)[1:])
        wait_until(lambda: "StoreAway" in worker.log.read_text(), what="the worker meets the outage")

        elsewhere.rename(path)

        wait_until(lambda: all_folded(engine, 20), what=f"all is folded, see {worker.log}")
