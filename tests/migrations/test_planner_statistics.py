"""PostgreSQL's planner statistics contain no words of conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from sqlalchemy import Connection, text

from conftest import LocalWorker
from support.postgresql import PostgresqlServer
from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold_worker.operate import migrate
from turnfold_worker.operate.schema.statistics import columns_with_words

pytestmark = pytest.mark.postgresql

WORD = "xylophonequartz"
# Except terms of anchors: queries filter by them, so plans need their statistics.
KNOWN = text(
    "SELECT tablename, attname FROM pg_stats "
    "WHERE CONCAT(most_common_vals, histogram_bounds, most_common_elems) LIKE :word "
    "AND tablename NOT LIKE 'anchor_posting%'"
)


@pytest.fixture(params=[0, 4], ids=["whole", "in partitions"])
def database_url(request: pytest.FixtureRequest, postgresql_server: PostgresqlServer) -> Iterator[str]:
    name = f"sampled_{uuid4().hex}"
    url = postgresql_server.create(name)
    migrate.upgrade(url, partitions=request.param)
    yield url
    postgresql_server.drop(name)


def test_no_word_is_sampled_and_what_was_goes_with_the_next_migration(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str
) -> None:
    for number in range(40):
        tf.append("c", {"role": "user", "content": f"We decided on {WORD} {number}.", "name": WORD})
    make_worker().settle()
    engine = connect(database_url, write=True, timeout_seconds=10)
    with engine.begin() as connection:
        assert words_after_analyze(connection) == set()
        # As in a database of an earlier version.
        for table, column in columns_with_words():
            connection.execute(text(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS -1'))
        assert {"content", "name"} <= words_after_analyze(connection)
    migrate.upgrade(database_url)
    with engine.begin() as connection:
        assert known_words(connection) == set()
        assert words_after_analyze(connection) == set()
    engine.dispose()
    assert migrate.check(database_url) == []


def words_after_analyze(connection: Connection) -> set[str]:
    connection.execute(text("ANALYZE"))
    return known_words(connection)


def known_words(connection: Connection) -> set[str]:
    """Return the columns whose statistics contain the word."""
    return {column for _, column in connection.execute(KNOWN, {"word": f"%{WORD[:9]}%"})}
