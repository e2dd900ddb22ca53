"""Differences between the tables of a database and those of this version."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, text

from turnfold.contract.tables import Base

if TYPE_CHECKING:
    from sqlalchemy import Connection, Index

_INDEX_NAMES: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    # An invalid index, left by an interrupted build, does not count.
    "postgresql": (
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indisvalid AND pg_table_is_visible(c.oid)"
    ),
}


def drift(connection: Connection, *, newer: bool) -> list[str]:
    """Describe each difference in a line. Additions by a `newer` version are not differences."""
    indexes = {str(index.name): index for table in Base.metadata.tables.values() for index in table.indexes}
    by_name_only = {
        name for name, index in indexes.items() if not all(isinstance(part, Column) for part in index.expressions)
    }

    def can_be_compared(part: Any, name: str | None, kind: str, reflected: bool, counterpart: object) -> bool:  # noqa: FBT001 - Alembic's signature
        if newer and reflected and counterpart is None:
            return False
        table = part.name if kind == "table" else getattr(getattr(part, "table", None), "name", None)
        return table in Base.metadata.tables and not (kind == "index" and name in by_name_only)

    context = MigrationContext.configure(
        connection, opts={"target_metadata": Base.metadata, "include_object": can_be_compared}
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*expression-based index.*")
        differences = [_sentence(difference) for difference in compare_metadata(context, Base.metadata)]
    missing = {str(index.name) for index in missing_indexes(connection)}
    return differences + [f"index {name} is missing" for name in sorted(by_name_only & missing)]


def missing_indexes(connection: Connection) -> list[Index]:
    """Return this version's indexes that the database lacks, on tables that it has."""
    present = set(connection.execute(text(_INDEX_NAMES[connection.dialect.name])).scalars())
    tables = [table for table in Base.metadata.sorted_tables if connection.dialect.has_table(connection, table.name)]
    return [
        index
        for table in tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
        if index.name not in present
    ]


def _sentence(difference: object) -> str:
    if isinstance(difference, list):
        return "; ".join(_sentence(part) for part in difference)
    if isinstance(difference, tuple):
        return " ".join(str(part) for part in difference if part is not None)
    return str(difference)
