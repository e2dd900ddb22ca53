"""Bulk inserts of plain numbers and strings, passed to the driver unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Table


class BulkInsert:
    """An insert into columns whose types need no conversion by SQLAlchemy.

    SQLAlchemy takes longer to prepare the parameters of a row than a database to store it, and a fold writes some two
    hundred rows.
    """

    def __init__(self, into: Table, columns: Sequence[str]) -> None:
        self._into = into
        self._columns = tuple(into.c[name] for name in columns)

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows, each a tuple in the order of the columns."""
        if rows:
            connection.exec_driver_sql(_sql(connection.dialect, self._into, self._columns), list(rows))


@lru_cache(maxsize=64)
def _sql(dialect: Dialect, into: Table, columns: tuple[Any, ...]) -> str:
    quoted = dialect.identifier_preparer.quote
    mark = "?" if dialect.paramstyle == "qmark" else "%s"
    names = ", ".join(quoted(column.name) for column in columns)
    return f"INSERT INTO {quoted(into.name)} ({names}) VALUES ({', '.join([mark] * len(columns))})"  # noqa: S608 - names of the contract
