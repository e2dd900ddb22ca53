"""Databases in memory, one for each conversation that is folded offline, all copied from one that is empty."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

from turnfold.contract.seals import NO_SECRET
from turnfold.contract.tables import SCHEMA_VERSION, Base, MetaRow, table
from turnfold.database.engines import connect

_STATEMENTS: LRUCache[Any, Any] = LRUCache(500)
"""Compiled statements by dialect: to compile those of a fold takes as long as to fold ten turns."""


def memory_database() -> Engine:
    """A database of its own with the schema and no rows; it lives as long as the engine."""
    empty = _empty()
    engine = connect("sqlite://", write=True, timeout_seconds=1)
    with empty.connect() as source, engine.connect() as target:
        _driver(source).backup(_driver(target))
    # Statements are found again by the dialect that they were compiled for.
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
