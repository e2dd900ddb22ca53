"""In-memory databases, one per conversation that is folded offline, all copied from an empty one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

from turnfold.contract.seals import NO_SECRET
from turnfold.contract.tables import SCHEMA_VERSION, Base, MetaRow, table
from turnfold.database.engines import connect

_STATEMENTS: LRUCache[Any, Any] = LRUCache(500)
"""Cache of compiled statements by dialect: compiling those of a fold takes as long as folding ten turns."""


def memory_database() -> Engine:
    """Make a separate database with the schema and no rows; it lives as long as the engine."""
    empty = _empty()
    engine = connect("sqlite://", write=True, timeout_seconds=1)
    with empty.connect() as source, engine.connect() as target:
        _driver(source).backup(_driver(target))
    # The shared cache finds statements by the dialect they were compiled for.
    engine.dialect = empty.dialect
    return engine.execution_options(compiled_cache=_STATEMENTS)


def _driver(connection: Any) -> Any:
    return connection.connection.driver_connection


@lru_cache(maxsize=1)
def _empty() -> Engine:
    engine = connect("sqlite://", write=True, timeout_seconds=1)
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        values = {"schema_version": str(SCHEMA_VERSION), "seal_secret": NO_SECRET}
        connection.execute(table(MetaRow).insert(), [{"key": key, "value": value} for key, value in values.items()])
    return engine
