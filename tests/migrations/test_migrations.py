from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, text

from support.child_processes import child_environment
from support.forked_programs import ForkedProgram
from turnfold.contract.tables import SCHEMA_VERSION, Base
from turnfold.database.engines import connect
from turnfold.errors import SchemaMismatch, Unavailable
from turnfold_worker.operate import migrate
from turnfold_worker.operate.doctor.servers import check_schema
from turnfold_worker.operate.schema.steps import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from support.postgresql import PostgresqlServer


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/turnfold.db"


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """An empty database for the test alone."""
    name = f"empty_{uuid4().hex}"
    yield postgresql_server.create(name)
    postgresql_server.drop(name)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database on each system."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


LAST = steps()[-1].revision
"""Revision of a new database."""


def run(database_url: str, *statements: str) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def reader(database_url: str) -> Engine:
    return connect(database_url, write=False, timeout_seconds=5)


def schema_version(database_url: str) -> str:
    engine = reader(database_url)
    with engine.connect() as connection:
        version: str = connection.execute(text("SELECT value FROM meta WHERE key = 'schema_version'")).scalar_one()
    engine.dispose()
    return version


def test_a_new_database_is_brought_to_the_version_of_the_code(database_url: str) -> None:
    assert migrate.current(database_url) is None

    migrate.upgrade(database_url)

    assert migrate.current(database_url) == LAST
    assert schema_version(database_url) == str(SCHEMA_VERSION)


def test_the_migrated_schema_has_no_drift_from_the_tables_in_the_code(database_url: str) -> None:
    migrate.upgrade(database_url)

    assert migrate.check(database_url) == []


def test_a_database_that_was_never_migrated_is_reported_as_such(database_url: str) -> None:
    assert migrate.check(database_url) == ["the database is at revision none: it was never migrated"]
    assert not migrate.contract_pending(database_url)


def test_what_another_version_would_have_changed_by_hand_is_no_version_of_ours(database_url: str) -> None:
    migrate.upgrade(database_url)
    run(database_url, "UPDATE meta SET value = '7' WHERE key = 'schema_version'")

    (found,) = migrate.check(database_url)

    assert "the database serves schema version 7, this version works with 2: upgrade Turnfold here" in found


def test_drift_is_reported_for_tables_columns_and_indexes_on_expressions(database_url: str) -> None:
    migrate.upgrade(database_url)
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text("DROP INDEX anchor_top"))
        connection.execute(text("ALTER TABLE turn ADD COLUMN mood TEXT"))
        connection.execute(text("DROP TABLE operation"))
    engine.dispose()

    found = "\n".join(migrate.check(database_url))

    assert "anchor_top" in found
    assert "mood" in found
    assert "operation" in found


ODD: dict[str, tuple[bool, list[str], str]] = {
    "a newer version's": (
        True,
        [
            "UPDATE alembic_version SET version_num = '9999'",
            "UPDATE meta SET value = '9' WHERE key = 'schema_version'",
        ],
        r"at revision 9999, this version needs \d+: a newer version made it, .* version 9: upgrade Turnfold here",
    ),
    "another application's": (
        False,
        [
            "CREATE TABLE alembic_version (version_num VARCHAR(32))",
            "INSERT INTO alembic_version VALUES ('ab12'), ('cd34')",
        ],
        r"another application keeps its revision \(ab12, cd34\).*: create a separate database for Turnfold",
    ),
    "with names of ours": (
        False,
        ["CREATE TABLE job (id INTEGER)", "CREATE TABLE meta (id INTEGER)", "CREATE TABLE users (id INTEGER)"],
        r"another application has tables with these names: job, meta: create a separate database for Turnfold",
    ),
    "half restored": (
        True,
        ["DELETE FROM alembic_version", "DROP TABLE operation"],
        r"holds \d\d of \d\d tables but no revision: .*: restore it completely, or start with an empty",
    ),
}


@pytest.mark.parametrize(("ours", "statements", "says"), ODD.values(), ids=ODD)
def test_an_odd_database_is_left_alone_and_the_reason_is_its_own(
    database_url: str, ours: bool, statements: list[str], says: str
) -> None:
    if ours:
        migrate.upgrade(database_url)
    engine = connect(database_url, write=True, timeout_seconds=5, create=True)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    tables = inspect(engine).get_table_names()

    with pytest.raises(SchemaMismatch, match=says):
        migrate.upgrade(database_url)

    assert re.search(says, "\n".join(migrate.check(database_url)))
    finding = check_schema(database_url)
    assert (finding.ok, re.search(says, f"{finding.detail}: {finding.remedy}") is not None) == (False, True)
    assert inspect(engine).get_table_names() == tables
    engine.dispose()


def test_tables_of_others_beside_ours_are_no_drift(database_url: str) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5, create=True)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE users (id INTEGER)"))
        connection.execute(text("CREATE INDEX users_id ON users (id)"))

    migrate.upgrade(database_url)

    assert migrate.check(database_url) == []
    assert check_schema(database_url).ok
    engine.dispose()


def test_migrating_again_changes_nothing(database_url: str) -> None:
    migrate.upgrade(database_url)
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'kept')"))

    migrate.upgrade(database_url)

    with engine.connect() as connection:
        assert connection.execute(text("SELECT external_id FROM conversation")).scalars().all() == ["kept"]
    engine.dispose()


def test_a_migrated_sqlite_file_has_the_same_schema_as_a_fresh_one(sqlite_url: str) -> None:
    migrate.upgrade(sqlite_url)
    fresh = connect("sqlite://", write=True, timeout_seconds=5)
    Base.metadata.create_all(fresh)

    assert sqlite_schema(reader(sqlite_url)) == sqlite_schema(fresh)


def sqlite_schema(engine: Engine) -> dict[str, list[str]]:
    """Return the SQL of each table and index as unordered parts, since columns may be added at the end."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic_%'")
        ).all()
    engine.dispose()
    return {name: _parts(" ".join(sql.replace('"', "").split())) for name, sql in rows}


def _parts(sql: str) -> list[str]:
    before, _, columns = sql.partition("(")
    columns, _, after = columns.rpartition(")")
    return sorted(part.strip() for part in (before, after, *re.split(_BETWEEN_COLUMNS, columns)))


_BETWEEN_COLUMNS = r",(?![^()]*\))"
"""A comma outside inner brackets."""


@pytest.mark.postgresql
def test_a_migrated_postgresql_database_has_the_same_schema_as_a_fresh_one(postgresql_url: str) -> None:
    migrate.upgrade(postgresql_url)
    engine = create_engine(postgresql_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE SCHEMA fresh"))
        connection.execute(text("SET search_path TO fresh"))
        Base.metadata.create_all(connection)

    assert postgresql_schema(engine, "public") == postgresql_schema(engine, "fresh")
    engine.dispose()


def postgresql_schema(engine: Engine, schema: str) -> list[tuple[str, ...]]:
    """Return columns, constraints and indexes as the catalogue lists them."""
    columns = text(
        "SELECT table_name, column_name, data_type, character_maximum_length::text, is_nullable, column_default "
        "FROM information_schema.columns WHERE table_schema = :schema"
    )
    constraints = text(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = to_regnamespace(:schema)"
    )
    indexes = text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = :schema")
    with engine.connect() as connection:
        rows = [
            tuple(str(value).replace(f"{schema}.", "") for value in row)
            for statement in (columns, constraints, indexes)
            for row in connection.execute(statement, {"schema": schema})
        ]
    return sorted(row for row in rows if not any("alembic" in value for value in row))


def test_each_database_gets_a_secret_of_its_own(tmp_path: Path) -> None:
    """Seals are derived from the secret; without one, statements about a conversation could be forged."""
    secrets = []
    for name in ("one", "two"):
        url = f"sqlite:///{tmp_path / name}.db"
        migrate.upgrade(url)
        engine = reader(url)
        with engine.connect() as connection:
            secrets.append(connection.exec_driver_sql("SELECT value FROM meta WHERE key = 'seal_secret'").scalar_one())
        engine.dispose()
    assert [len(secret) for secret in secrets] == [64, 64]
    assert secrets[0] != secrets[1]


def test_a_new_sqlite_file_and_its_log_are_for_this_user_alone(sqlite_url: str) -> None:
    before = os.umask(0o022)
    try:
        migrate.upgrade(sqlite_url)
        engine = connect(sqlite_url, write=True, timeout_seconds=5)
        with engine.begin() as connection:
            connection.execute(text("INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'c')"))
            files = sorted(Path(sqlite_url.removeprefix("sqlite:///")).parent.glob("turnfold.db*"))
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
        engine.dispose()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["turnfold.db", "turnfold.db-shm", "turnfold.db-wal"], 0o600)


def test_sqlite_is_left_in_wal_mode(sqlite_url: str) -> None:
    migrate.upgrade(sqlite_url)

    engine = create_engine(sqlite_url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    engine.dispose()


def test_migrating_leaves_the_locks_of_other_connections_of_the_process(sqlite_url: str) -> None:
    """Without those locks, the last process to close the database deletes the log that they read."""
    migrate.upgrade(sqlite_url)
    engine = reader(sqlite_url)
    count = "SELECT COUNT(*) FROM conversation"
    with engine.connect() as connection:
        connection.exec_driver_sql(count).scalar_one()

    migrate.upgrade(sqlite_url)
    work = (
        "import sqlite3, sys; file, statement = sys.argv[1:]; opened = sqlite3.connect(file, isolation_level=None); "
        "opened.execute(statement).fetchall(); print(flush=True); sys.stdin.read(); opened.close()"
    )
    command = [sys.executable, "-c", work, sqlite_url.removeprefix("sqlite:///")]
    subprocess.run([*command, count], check=True, stdin=subprocess.DEVNULL, capture_output=True)
    row = "INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'kept')"
    with subprocess.Popen([*command, row], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with engine.connect() as connection:
            assert connection.exec_driver_sql(count).scalar_one() == 1
        writer.communicate()
    engine.dispose()


def test_processes_that_migrate_at_once_all_succeed(database_url: str, tmp_path: Path) -> None:
    environment = child_environment(TURNFOLD_DATABASE_URL=database_url)
    logs = [tmp_path / f"{number}.log" for number in range(4)]
    processes = [
        ForkedProgram("turnfold_worker.cli:main", ["turnfold", "migrate"], environment, log=log) for log in logs
    ]

    codes = [process.wait(120) for process in processes]

    assert codes == [0] * 4, [log.read_text() for log in logs]
    assert migrate.check(database_url) == []
    engine = reader(database_url)
    assert "conversation" in inspect(engine).get_table_names()
    engine.dispose()


def test_a_folder_that_does_not_exist_is_named_as_the_cause(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"unable to open database file.*TURNFOLD_DATABASE_URL"):
        migrate.upgrade(f"sqlite:///{tmp_path}/nowhere/turnfold.db")
