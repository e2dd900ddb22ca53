"""Behind a real PgBouncer in transaction mode, sessions are shared and no state remains in them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from sqlalchemy import bindparam, func, select, text
from sqlalchemy.exc import DBAPIError

from support.pgbouncer import SESSIONS, PgBouncer
from support.postgresql import PostgresqlServer
from support.server_folders import own_folder
from support.talk import talk
from turnfold import Turnfold
from turnfold.database.driver import Driver
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings
from turnfold.redis.connections import connect as connect_redis
from turnfold.settings import Settings
from turnfold_worker import offline
from turnfold_worker.errors import StoreAway
from turnfold_worker.operate import migrate
from turnfold_worker.operate.decisions import decide
from turnfold_worker.operate.digest import digest
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing.local_worker import LocalWorker

pytestmark = pytest.mark.postgresql

CLIENTS = 2 * SESSIONS
CONVERSATIONS = 2
ROUNDS = 6
"""psycopg prepares a statement after five executions."""


@pytest.fixture(scope="module")
def pgbouncer(postgresql_server: PostgresqlServer) -> Iterator[PgBouncer]:
    """A pooler that rejects clients with session settings, as by default."""
    with own_folder() as folder:
        server = PgBouncer(folder, postgresql_server.port)
        server.start()
        yield server
        server.kill()


@pytest.fixture(scope="module")
def lenient_pgbouncer(postgresql_server: PostgresqlServer) -> Iterator[PgBouncer]:
    """A pooler that ignores session settings."""
    with own_folder() as folder:
        server = PgBouncer(folder, postgresql_server.port, ignore_startup_parameters="options")
        server.start()
        yield server
        server.kill()


@pytest.fixture
def database_url(postgresql_url: str, pgbouncer: PgBouncer) -> str:
    """A database behind the pooler."""
    return pgbouncer.url_of(postgresql_url)


@pytest.fixture
def settings(redis_url: str, database_url: str) -> Settings:
    return Settings(redis_url=redis_url, database_url=database_url, database_pooler=True, tenant="acme", doorbell=False)


@pytest.fixture
def local(redis_url: str, database_url: str) -> Iterator[LocalWorker]:
    settings = WorkerSettings(
        redis_url=redis_url, database_url=database_url, database_pooler=True, fold_turns=1, slice_seconds=3_600
    )
    with connect_redis(redis_url, timeout_seconds=5) as client, LocalWorker.open(settings, client) as worker:
        yield worker


def test_many_clients_read_what_each_would_alone(tf: Turnfold, settings: Settings, local: LocalWorker) -> None:
    names = [f"talk {number}" for number in range(CONVERSATIONS)]
    for number, name in enumerate(names):
        tf.append(name, talk(number, 40))
    local.fold()
    wanted = {name: tf.context(name, budget_tokens=1_000).text for name in names}
    found = {name: tf.search(name, "database") for name in names}
    expanded = {name: tf.expand(name, "L0:turns-1-3") for name in names}

    def read_alone(number: int) -> int:
        with Turnfold(settings=settings) as client:
            for turn in range(ROUNDS):
                name = names[(number + turn) % CONVERSATIONS]
                client._resources.reader().forget_parsed()
                assert client.context(name, budget_tokens=1_000).text == wanted[name]
                assert client.search(name, "database") == found[name]
                assert client.expand(name, "L0:turns-1-3") == expanded[name]
        return ROUNDS

    with ThreadPoolExecutor(CLIENTS) as clients:
        assert sum(clients.map(read_alone, range(CLIENTS))) == CLIENTS * ROUNDS


def test_what_is_folded_through_it_equals_what_is_folded_in_one_process(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("talk", talk(7, 60))
    local.settle()

    with offline.fold(talk(7, 60), conversation_id="talk") as folded:
        assert digest(local.engine, "acme", "talk") == folded.digest()


def test_an_export_reads_through_it(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("talk", talk(3, 30))
    local.fold()

    assert tf.export("talk").count(b"\n") > 30


def test_work_is_decided_about_through_it(settings: Settings) -> None:
    assert decide(settings, "acme", "job-1", "skip") == "job-1: no longer parked"


@pytest.mark.parametrize("pooler", ["pgbouncer", "lenient_pgbouncer"])
def test_without_the_setting_nothing_is_executed_and_the_error_names_it(
    request: pytest.FixtureRequest, pooler: str, redis_url: str, postgresql_url: str
) -> None:
    url = request.getfixturevalue(pooler).url_of(postgresql_url)
    with Turnfold(redis_url=redis_url, database_url=url, doorbell=False) as tf:
        with pytest.raises(InvalidSettings, match="TURNFOLD_DATABASE_POOLER=on"):
            tf.context("talk", budget_tokens=1_000)
        with pytest.raises(InvalidSettings, match="TURNFOLD_DATABASE_POOLER=on"):
            tf.append("talk", talk(1, 3))
    with Turnfold(redis_url=redis_url, database_url=postgresql_url, doorbell=False) as tf:
        tf.append("talk", talk(1, 3))

    settings = WorkerSettings(redis_url=redis_url, database_url=url)
    with connect_redis(redis_url, timeout_seconds=5) as client, LocalWorker.open(settings, client) as worker:
        with pytest.raises((StoreAway, InvalidSettings), match="TURNFOLD_DATABASE_POOLER=on"):
            worker.drain()
        assert client.xlen(next(client.scan_iter("tf:*:in:*"))) == 3


def test_a_statement_that_takes_too_long_ends_and_leaves_no_limit_behind(database_url: str) -> None:
    engine = connect(database_url, write=False, timeout_seconds=0.2, pooler=True)
    slow = select(func.pg_sleep(bindparam("seconds")))

    with pytest.raises(DBAPIError, match="statement timeout"), engine.begin() as connection:
        connection.execute(slow, {"seconds": 20})
    driver = Driver(engine)
    with pytest.raises(DBAPIError, match="statement timeout"), driver.connection() as held:
        held.rows(slow, {"seconds": 20})
    with pytest.raises(DBAPIError, match="statement timeout"), driver.connection() as held, held.snapshot():
        held.rows(slow, {"seconds": 20})

    driver.close()
    engine.dispose()
    with psycopg.connect(database_url.replace("+psycopg", ""), prepare_threshold=None) as other:
        assert other.execute("SHOW statement_timeout").fetchone() == ("0",)


def test_a_read_transaction_is_one_state_in_utc_and_writes_nothing(database_url: str) -> None:
    engine = connect(database_url, write=False, timeout_seconds=5, pooler=True)
    with engine.begin() as connection:
        shown = [
            connection.scalar(text(f"SHOW {name}"))
            for name in ("transaction_isolation", "transaction_read_only", "timezone", "lock_timeout")
        ]
    engine.dispose()

    assert shown == ["repeatable read", "on", "UTC", "5s"]


def test_no_statement_is_prepared_under_a_name(tf: Turnfold, local: LocalWorker, database_url: str) -> None:
    tf.append("talk", talk(2, 30))
    local.fold()
    for _ in range(ROUNDS):
        tf._resources.reader().forget_parsed()
        tf.context("talk", budget_tokens=1_000)

    # Open all sessions of the pooler at once, so that each one is checked.
    with ExitStack() as stack:
        sessions = [
            stack.enter_context(psycopg.connect(database_url.replace("+psycopg", ""), prepare_threshold=None))
            for _ in range(SESSIONS)
        ]
        named = [session.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() for session in sessions]
    assert named == [(0,)] * SESSIONS


def test_a_migration_goes_through_it(postgresql_server: PostgresqlServer, pgbouncer: PgBouncer) -> None:
    url = postgresql_server.create("migrated_through_pgbouncer")

    migrate.upgrade(pgbouncer.url_of(url))

    assert migrate.check(url) == []
    assert migrate.check(pgbouncer.url_of(url)) == []


def test_clients_go_on_when_it_was_started_anew(tf: Turnfold, local: LocalWorker, pgbouncer: PgBouncer) -> None:
    tf.append("talk", talk(5, 20))
    local.fold()
    wanted = tf.context("talk", budget_tokens=1_000).text

    pgbouncer.kill()
    pgbouncer.start()

    tf._resources.reader().forget_parsed()
    assert tf.context("talk", budget_tokens=1_000).text == wanted
    assert tf.expand("talk", "L0:turns-1-3").turns
