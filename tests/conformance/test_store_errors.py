"""Errors of real databases are classified: the store is unavailable or stalled, or refuses the rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from turnfold.database.engines import connect
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.errors import Refused, Stalled, StoreAway, WorkerError

SECRET = "xyzzy"
SOON = 0.3


@pytest.fixture
def writer(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url, write=True, timeout_seconds=SOON)
    yield engine
    engine.dispose()


@pytest.fixture
def postgresql(postgresql_url: str) -> Iterator[Engine]:
    engine = connect(postgresql_url, write=True, timeout_seconds=SOON)
    yield engine
    engine.dispose()


def says(engine: Engine, *statements: str) -> WorkerError:
    def carry_out() -> None:
        with transaction(engine) as connection:
            for statement in statements:
                connection.execute(text(statement))

    with pytest.raises(WorkerError) as raised:
        carry_out()
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
    return raised.value


CONVERSATION = "INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'xyzzy')"


def test_a_row_that_is_there_already_is_refused(writer: Engine) -> None:
    assert isinstance(says(writer, CONVERSATION, CONVERSATION), Refused)


def test_another_schema_is_no_fault_of_what_is_stored(writer: Engine) -> None:
    error = says(writer, "INSERT INTO nowhere (x) VALUES ('xyzzy')")
    assert isinstance(error, StoreAway)
    assert "run `turnfold migrate`" in str(error)


def test_a_file_that_is_not_there_is_away_and_named(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path}/nothing.db", write=True, timeout_seconds=SOON)
    error = says(engine, CONVERSATION)
    assert type(error) is StoreAway
    assert "TURNFOLD_DATABASE_URL" in str(error)
    engine.dispose()


def test_sqlite_that_is_locked_is_away(sqlite_url: str) -> None:
    engine = connect(sqlite_url, write=True, timeout_seconds=0.05)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert type(says(engine, CONVERSATION)) is StoreAway
    engine.dispose()


def test_sqlite_whose_disk_is_full_is_away(sqlite_url: str) -> None:
    engine = connect(sqlite_url, write=True, timeout_seconds=SOON)
    error = says(engine, "PRAGMA max_page_count=1", "CREATE TABLE large AS SELECT zeroblob(10000000) AS bytes")
    engine.dispose()

    assert isinstance(error, StoreAway)
    assert "its disk is full: free disk space" in str(error)


def test_sqlite_that_is_damaged_is_away(sqlite_url: str) -> None:
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8_000)
    engine = connect(sqlite_url, write=True, timeout_seconds=0.05)
    assert type(says(engine, CONVERSATION)) is StoreAway
    engine.dispose()


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("statements", "kind"),
    [
        pytest.param(["SELECT pg_sleep(10)"], Stalled, id="too-slow"),
        pytest.param(
            ["CREATE TABLE t (x text PRIMARY KEY)",
             "INSERT INTO t SELECT string_agg(md5(i::text), '') FROM generate_series(1, 1000) i"],
            Refused, id="too-large-for-an-index",
        ),
        pytest.param([f"SELECT '{SECRET}'::int"], Refused, id="a-value-of-another-type"),
        pytest.param(["SELECT repeat('xyzzy', 1000000000)"], Refused, id="a-value-without-end"),
        pytest.param(["SELECT pg_terminate_backend(pg_backend_pid())"], StoreAway, id="a-connection-that-is-closed"),
        pytest.param(["SELECT * FROM xyzzy"], StoreAway, id="a-table-that-is-not-there"),
    ],
)  # fmt: skip
def test_postgresql(postgresql: Engine, statements: list[str], kind: type[WorkerError]) -> None:
    assert type(says(postgresql, *statements)) is kind


@pytest.mark.postgresql
def test_a_row_that_somebody_keeps_locked_stalls_on_postgresql(postgresql: Engine) -> None:
    with postgresql.begin() as connection:
        connection.execute(text(CONVERSATION))
    with postgresql.begin() as holder:
        holder.execute(text("SELECT * FROM conversation FOR UPDATE"))
        error = says(postgresql, "UPDATE conversation SET revision = 1")
    assert type(error) is Stalled


@pytest.mark.postgresql
def test_a_server_that_is_not_there_is_away(unused_tcp_port_factory: Callable[[], int]) -> None:
    engine = connect(f"postgresql+psycopg://me@127.0.0.1:{unused_tcp_port_factory()}/x", write=True, timeout_seconds=1)
    assert type(says(engine, "SELECT 1")) is StoreAway
    engine.dispose()


def test_a_database_error_says_nothing_of_what_a_statement_was_given(writer: Engine) -> None:
    with pytest.raises(DBAPIError) as raised, writer.begin() as connection:
        connection.execute(text("INSERT INTO nowhere VALUES (:words)"), {"words": SECRET})
    assert "nowhere" in str(raised.value)
    assert SECRET not in str(raised.value)
