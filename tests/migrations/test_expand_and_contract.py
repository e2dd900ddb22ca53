"""Two versions share a database, which is expanded for the newer one and contracted once the older one is gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, text

from migrations.test_migrations import LAST, database_url, postgresql_url, reader, run, sqlite_url  # noqa: F401 - fixtures
from support.waiting import wait_until
from turnfold import SchemaMismatch
from turnfold.contract import schema_range
from turnfold.contract.schema_range import SchemaRange
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold_worker.cli.group import main
from turnfold_worker.operate import migrate
from turnfold_worker.operate.schema import steps
from turnfold_worker.operate.schema.mismatch import serves
from turnfold_worker.operate.schema.steps import Phase, Step, target

if TYPE_CHECKING:
    from sqlalchemy import Engine

READ_BY_VERSION_1 = SchemaRange(1, 1)


def at_version_1(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a database as version 1 did: its only migration is today's first."""
    with monkeypatch.context() as older:
        older.setattr(steps, "steps", lambda: (Step("0001", Phase.EXPAND),))
        older.setattr(migrate, "steps", steps.steps)
        older.setattr(migrate, "build_here", lambda _: None)
        older.setattr(migrate, "build_beside_writers", lambda _: None)
        migrate.upgrade(url)


def served(url: str) -> SchemaRange | None:
    engine = reader(url)
    with engine.connect() as connection:
        versions = serves(connection)
    engine.dispose()
    return versions


def test_a_database_in_use_is_expanded_and_contracted_by_a_command_of_its_own(
    database_url: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_version_1(database_url, monkeypatch)
    assert served(database_url) == SchemaRange(1, 1)
    run(database_url, "INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'kept')")

    migrate.upgrade(database_url)

    assert (migrate.current(database_url), served(database_url)) == ("0003", SchemaRange(1, 2))
    assert "migrate --contract" in migrate.state(database_url)
    assert migrate.contract_pending(database_url)
    assert migrate.check(database_url) == []
    migrate.upgrade(database_url)
    assert migrate.current(database_url) == "0003"
    run(database_url, "INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'new')", *REFINED)
    assert counted(database_url) == {"kept": None, "new": 0}
    # A worker of version 1 inserts rows like this.
    run(database_url, "INSERT INTO conversation (tenant, external_id, closed_seq) VALUES ('acme', 'beside', 8)")
    migrate.upgrade(database_url, contract=True)
    assert not migrate.contract_pending(database_url)
    assert (migrate.current(database_url), served(database_url)) == (LAST, SchemaRange(2, 2))
    assert migrate.check(database_url) == []
    engine = reader(database_url)
    with engine.connect() as connection:
        kept, _, beside = connection.execute(
            text("SELECT external_id, rules_version, words_since FROM conversation ORDER BY id")
        ).all()
    engine.dispose()
    assert tuple(kept)[:2] == ("kept", 0)
    assert counted(database_url) == {"kept": 4, "new": 4, "beside": 0}, "also what an older worker refined"
    assert beside.words_since == 0, "retention looks at what an older worker closed"


REFINED = (
    """INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
            importance, method, refined, facts, source_hash)
        SELECT id, 0, i, 4 * i + 1, 4 * i + 4, 's', 9, 3, 2, 1, 5, 1, 2 * i, '{}', ''
        FROM conversation, (SELECT 0 AS i UNION SELECT 1) numbers""",
    """INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
            importance, method, refined, facts, source_hash)
        SELECT id, 1, 0, 1, 8, 's', 9, 3, 2, 1, 5, 1, 2, '{}', '' FROM conversation""",
)
"""Two segments of each conversation, the second one refined, and a refined chapter; no row counts them yet."""


def counted(url: str) -> dict[str, int | None]:
    """Return `refined_turns` by conversation."""
    engine = reader(url)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT external_id, refined_turns FROM conversation")).all()
    engine.dispose()
    return {row.external_id: row.refined_turns for row in rows}


def test_a_reader_reads_every_version_of_its_range_and_no_other(
    database_url: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_version_1(database_url, monkeypatch)
    assert reads(database_url) == "yes"
    assert reads(database_url, READ_BY_VERSION_1) == "yes"

    migrate.upgrade(database_url)
    assert reads(database_url) == "yes"
    assert reads(database_url, READ_BY_VERSION_1) == "yes"

    migrate.upgrade(database_url, contract=True)
    assert not migrate.contract_pending(database_url)
    assert reads(database_url) == "yes"
    assert "upgrade Turnfold here" in reads(database_url, READ_BY_VERSION_1)
    assert "run `turnfold migrate`" in reads(database_url, SchemaRange(3, 4))


def reads(url: str, version: SchemaRange | None = None) -> str:
    """Return `yes`, or the error, of a reader that supports schema `version`."""
    engine = reader(url)
    with pytest.MonkeyPatch.context() as other:
        if version is not None:
            other.setattr(schema_range, "READS_FROM", version.oldest)
            other.setattr(schema_range, "SCHEMA_VERSION", version.newest)
        try:
            Reader(engine).read(lambda _: None)
        except SchemaMismatch as error:
            return str(error)
        finally:
            engine.dispose()
    return "yes"


def test_an_older_version_leaves_a_newer_ones_database_as_it_is(database_url: str) -> None:  # noqa: F811
    migrate.upgrade(database_url)
    run(
        database_url,
        "UPDATE alembic_version SET version_num = '9999'",
        "UPDATE meta SET value = '3' WHERE key = 'schema_expanded'",
        "ALTER TABLE turn ADD COLUMN mood TEXT",
    )

    migrate.upgrade(database_url)

    assert (migrate.current(database_url), migrate.check(database_url)) == ("9999", [])
    assert "a newer version migrated it; it supports this version too" in migrate.state(database_url)


def test_what_contracts_keeps_later_migrations_waiting() -> None:
    chain = (
        Step("1", Phase.EXPAND), Step("2", Phase.EXPAND), Step("3", Phase.CONTRACT), Step("4", Phase.EXPAND),
    )  # fmt: skip
    assert [target(at, chain, contract=False) for at in (None, "1", "2", "3", "4")] == ["4", "2", "2", "4", "4"]
    assert [target(at, chain, contract=True) for at in ("1", "2", "3", "4")] == ["4"] * 4
    assert steps.needed(chain).revision == "4"
    assert [at for at in ("1", "2", "3", "4") if steps.waits_to_contract(at, chain)] == ["2"]


def test_the_command_says_that_it_remains_to_be_contracted(
    sqlite_url: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_version_1(sqlite_url, monkeypatch)
    command = ["--database-url", sqlite_url, "migrate"]

    expanded = CliRunner().invoke(main, command)
    contracted = CliRunner().invoke(main, [*command, "--contract"])
    both = CliRunner().invoke(main, [*command, "--contract", "--check"])

    assert "serves schema version 1 to 2: run `turnfold migrate --contract`" in " ".join(expanded.output.split())
    assert "serves schema version 2\n" in contracted.output
    assert both.exit_code == 2


def test_an_index_that_is_missing_is_built(database_url: str) -> None:  # noqa: F811
    migrate.upgrade(database_url)
    run(database_url, "DROP INDEX anchor_top", "DROP INDEX turn_time")
    assert len(migrate.check(database_url)) == 2

    migrate.upgrade(database_url)

    assert migrate.check(database_url) == []


@pytest.mark.postgresql
def test_an_index_is_built_while_others_write(postgresql_url: str) -> None:  # noqa: F811
    """A build that locked the table would block inserts until the transaction before it ends."""
    migrate.upgrade(postgresql_url)
    run(
        postgresql_url,
        "DROP INDEX turn_time",
        "INSERT INTO conversation (id, tenant, external_id) VALUES (1, 'acme', 'c')",
    )
    engine = connect(postgresql_url, write=True, timeout_seconds=5)
    migration = threading.Thread(target=migrate.upgrade, args=[postgresql_url])
    with engine.begin() as before:
        insert_turn(before, 1)
        migration.start()
        wait_until(lambda: is_building(engine), what="the index is being built")
        with engine.begin() as beside:
            insert_turn(beside, 2)
        assert migration.is_alive()
    migration.join(timeout=30)

    assert "turn_time" in {index["name"] for index in inspect(engine).get_indexes("turn")}
    assert migrate.check(postgresql_url) == []
    engine.dispose()


@pytest.mark.postgresql
def test_what_is_left_of_a_build_that_was_broken_off_is_built_anew(postgresql_url: str) -> None:  # noqa: F811
    migrate.upgrade(postgresql_url)
    run(postgresql_url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'turn_time'::regclass")

    migrate.upgrade(postgresql_url)

    engine = reader(postgresql_url)
    with engine.connect() as connection:
        is_valid = connection.scalar(text("SELECT indisvalid FROM pg_index WHERE indexrelid = 'turn_time'::regclass"))
    engine.dispose()
    assert is_valid is True


def insert_turn(connection: object, seq: int) -> None:
    connection.execute(  # type: ignore[attr-defined]
        text(
            "INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash) "
            "VALUES (1, :seq, :turn, 'user', 'Hello.', 1, 2, '')"
        ),
        {"seq": seq, "turn": f"m-{seq}"},
    )


def is_building(engine: Engine) -> bool:
    with engine.connect() as connection:
        return bool(connection.scalar(text("SELECT count(*) FROM pg_stat_progress_create_index")))
