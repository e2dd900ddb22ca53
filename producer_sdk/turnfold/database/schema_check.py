"""Check that a database serves a schema version that the process works with."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Engine, select

from turnfold.contract.schema_range import SchemaRange, readable, remedy_of, served
from turnfold.contract.tables import MetaRow, table
from turnfold.database.engines import database
from turnfold.database.failures import translated
from turnfold.errors import SchemaMismatch
from turnfold.settings import Settings

_READS: Final = "this SDK reads"


def meta_rows(connection: Connection) -> dict[str, str]:
    """Return the rows of `meta` as a dict."""
    meta = table(MetaRow)
    return {row.key: row.value for row in connection.execute(select(meta.c.key, meta.c.value))}


def checked_meta(connection: Connection, process: SchemaRange, does: str = _READS) -> dict[str, str]:
    """Return the rows of `meta`. Raises `SchemaMismatch` if database and `process` share no schema version.

    `does` is what the process does with the schema, for the message.
    """
    rows = meta_rows(connection)
    versions = served(rows)
    if versions is None or not versions.overlaps(process):
        msg = f"the database serves schema version {versions}, but {does} {process}"
        raise SchemaMismatch(msg, remedy=remedy_of(versions, process))
    return rows


def check_engine(engine: Engine, process: SchemaRange, does: str = _READS) -> None:
    """Check the schema on a new connection. Raises `SchemaMismatch`, or `Unavailable` if the database is down."""
    with translated(), engine.connect() as connection, connection.begin():
        checked_meta(connection, process, does)


def check_readable(settings: Settings) -> None:
    """Check that the database of `settings` can be read, on its own connection. Raises as `check_engine`."""
    engine = database(settings, write=False)
    try:
        check_engine(engine, readable())
    finally:
        engine.dispose()
