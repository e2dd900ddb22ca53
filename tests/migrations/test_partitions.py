"""Hash partitions of large PostgreSQL tables change no behaviour, and a read touches one partition only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, PrimaryKeyConstraint, UniqueConstraint, text

from conftest import LocalWorker
from migrations.test_migrations import run
from support.postgresql import PostgresqlServer
from support.stored import broken_invariants
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.tables import Base
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings
from turnfold_worker import offline
from turnfold_worker.cli.group import main
from turnfold_worker.operate import migrate
from turnfold_worker.operate.schema.partitions import PARTED, partitions_of

pytestmark = pytest.mark.postgresql

PARTITIONS = 4
ONE_TURN = "SELECT content FROM turn WHERE conversation = 1 AND seq = 7"


@pytest.fixture
def database_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """A new, partitioned database."""
    name = f"parted_{uuid4().hex}"
    url = postgresql_server.create(name)
    ended = CliRunner().invoke(main, ["--database-url", url, "migrate", "--partitions", str(PARTITIONS)])
    assert ended.exit_code == 0, ended.output
    yield url
    postgresql_server.drop(name)


def plan(connection: Connection, statement: str) -> str:
    return json.dumps(connection.execute(text(f"EXPLAIN (FORMAT JSON) {statement}")).scalar_one())


@pytest.mark.long
def test_conversations_are_stored_folded_read_changed_and_erased(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str
) -> None:
    assert migrate.check(database_url) == []
    local = make_worker()
    turns = talk("parted", 60)
    for name in ("a", "b", "c"):
        tf.append(name, turns)
    local.settle()
    with offline.fold(turns, conversation_id="a") as afresh:
        assert [local.digest(name) for name in ("a", "b", "c")] == [afresh.digest()] * 3
    tf.edit("b", tf.turns("b", limit=1)[0].turn_id, content="We decided to use Kafka for the seat map.")
    tf.rewind("c", after=tf.turns("c", limit=30)[-1].turn_id)
    local.settle()
    assert "Kafka" in tf.context("b", budget_tokens=2_000, query="What is the seat map's Kafka?").text
    assert tf.status("c").stored == 30
    with local.engine.connect() as connection:
        assert len(partitions_of(connection, "turn")) == PARTITIONS
        looked_at = re.findall(r'"Relation Name": "(turn_p\d+)"', plan(connection, ONE_TURN))
        assert len(looked_at) == 1, "a read looks at one partition"
    assert broken_invariants(local.engine) == {}

    for name in ("a", "b", "c"):
        tf.forget(name, timeout_seconds=0)
    local.settle()

    with local.engine.connect() as connection:
        left = {name: connection.exec_driver_sql(f"SELECT COUNT(*) FROM {name}").scalar_one() for name in PARTED}
    assert left == dict.fromkeys(PARTED, 0)


def test_an_index_of_a_parted_table_is_built_partition_by_partition(database_url: str) -> None:
    run(database_url, "DROP INDEX turn_time")
    (missing,) = migrate.check(database_url)
    assert "turn_time" in missing

    migrate.upgrade(database_url)

    assert migrate.check(database_url) == []
    engine = connect(database_url, write=False, timeout_seconds=5)
    with engine.connect() as connection:
        built = connection.scalar(
            text("SELECT COUNT(*) FROM pg_inherits WHERE inhparent = CAST('turn_time' AS regclass)")
        )
    engine.dispose()
    assert built == PARTITIONS


def test_partitions_are_a_choice_at_the_first_migration_of_postgresql(
    postgresql_url: str, sqlite_url: str, tmp_path: object
) -> None:
    with pytest.raises(InvalidSettings, match="only for the first migration"):
        migrate.upgrade(postgresql_url, partitions=64)
    with pytest.raises(InvalidSettings, match="requires PostgreSQL"):
        migrate.upgrade(f"sqlite:///{tmp_path}/new.db", partitions=64)


def test_every_key_of_a_parted_table_holds_the_conversation() -> None:
    keys = {
        name: [
            "conversation" in key.columns
            for key in Base.metadata.tables[name].constraints
            if isinstance(key, (PrimaryKeyConstraint, UniqueConstraint))
        ]
        for name in PARTED
    }
    assert [name for name, holds in keys.items() if not (holds and all(holds))] == []
