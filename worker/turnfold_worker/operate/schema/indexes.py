"""Build the indexes that a database lacks, while others keep writing.

No migration creates an index on an existing table: an index of this version that the database lacks is built here,
after the migrations. So the next `turnfold migrate` resumes an interrupted build.
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
    """Build missing indexes in the connection's transaction: SQLite has one writer at a time anyway."""
    for index in missing_indexes(connection):
        index.create(connection)


def build_beside_writers(database_url: str) -> None:
    """Build missing indexes on PostgreSQL without blocking writers. The caller keeps other migrations out.

    There is no time limit. Each statement runs on its own, so the connection may go through a pooler.
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
