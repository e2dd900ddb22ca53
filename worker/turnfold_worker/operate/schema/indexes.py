"""Indexes that a database lacks, built while others go on to write.

No migration names an index of a table that was there before: whatever this version's tables have and the database
lacks is built here, after the migrations. So a build that was broken off is taken up by the next `turnfold migrate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool

from turnfold_worker.operate.schema.drift import missing_indexes
from turnfold_worker.operate.schema.partitions import partitions_of, statements_of

if TYPE_CHECKING:
    from sqlalchemy import Connection


def build_here(connection: Connection) -> None:
    """Build them in the connection's transaction: SQLite has one writer at a time anyway."""
    for index in missing_indexes(connection):
        index.create(connection)


def build_beside_writers(database_url: str) -> None:
    """Build them on PostgreSQL without a lock that keeps writers out. The caller keeps other migrations out.

    Takes as long as it takes: no time limit ends it. Each is a statement of its own, so a pooler may lead there.
    """
    url = make_url(database_url).set(drivername="postgresql+psycopg")
    engine = create_engine(
        url, isolation_level="AUTOCOMMIT", poolclass=NullPool, hide_parameters=True,
        connect_args={"prepare_threshold": None},
    )  # fmt: skip
    try:
        with engine.connect() as connection:
            for index in missing_indexes(connection):
                name = str(index.table)
                for statement in statements_of(index, name, partitions_of(connection, name), connection):
                    connection.execute(text(statement))
    finally:
        engine.dispose()
