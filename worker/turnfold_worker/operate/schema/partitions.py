"""Hash-partition PostgreSQL's large tables by conversation: a choice at the first migration that cannot change later.

Only tables that grow with the turns are partitioned; all their keys contain `conversation`. `conversation`, `job` and
`parked_entry` have keys of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import MetaData, Table, text
from sqlalchemy.schema import CreateIndex, DropTable

from turnfold.contract.tables import Base
from turnfold.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Index

MOST_PARTITIONS: Final = 1_024

PARTED: Final = ("turn", "node", "level", "note_list", "passage", "posting", "anchor", "anchor_posting")
"""Tables that take nine tenths of a conversation's space."""

_PARTITIONS: Final = text(
    "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
    "WHERE i.inhparent = CAST(:name AS regclass) ORDER BY c.relname"
)


def part(connection: Connection, partitions: int) -> None:
    """Recreate the large tables of a new, empty database with so many partitions each.

    Raises `InvalidSettings` on SQLite, or for a number out of range.
    """
    if connection.dialect.name != "postgresql":
        raise InvalidSettings("--partitions requires PostgreSQL, but the database is SQLite", remedy="leave it out")
    if not 2 <= partitions <= MOST_PARTITIONS:
        msg = f"--partitions must be 2 to {MOST_PARTITIONS}, not {partitions}"
        raise InvalidSettings(msg, remedy="give 64, or leave it out")
    for table in _parted_tables():
        connection.execute(DropTable(table))
        table.create(connection)
        for number in range(partitions):
            connection.execute(
                text(
                    f"CREATE TABLE {table.name}_p{number:04d} PARTITION OF {table.name} "
                    f"FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
                )
            )


def _parted_tables() -> Iterator[Table]:
    copied = MetaData(naming_convention=Base.metadata.naming_convention)
    for table in Base.metadata.sorted_tables:
        copy = table.to_metadata(copied)
        if table.name in PARTED:
            copy.dialect_options["postgresql"]["partition_by"] = "HASH (conversation)"
            yield copy


def partitions_of(connection: Connection, name: str) -> list[str]:
    """Return the partitions of a table; empty for a table that is not partitioned."""
    return list(connection.scalars(_PARTITIONS, {"name": name}))


def statements_of(index: Index, table: str, partitions: list[str], connection: Connection) -> Iterator[str]:
    """Yield the statements that build a missing index without blocking writers, each to be run on its own.

    PostgreSQL cannot build an index of a partitioned table concurrently, so it is built partition by partition. The
    invalid index of an interrupted build has the same name and is dropped first.
    """
    create = str(CreateIndex(index).compile(dialect=connection.dialect))
    on_table = f" ON {table} "
    if not partitions:
        yield f'DROP INDEX CONCURRENTLY IF EXISTS "{index.name}"'
        yield create.replace("INDEX ", "INDEX CONCURRENTLY ", 1)
        return
    yield f'DROP INDEX IF EXISTS "{index.name}"'
    yield create.replace(on_table, f" ON ONLY {table} ", 1)
    for partition in partitions:
        name = f"{partition}_{index.name}"
        yield f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"'
        yield create.replace(f"INDEX {index.name}{on_table}", f"INDEX CONCURRENTLY {name} ON {partition} ", 1)
        yield f'ALTER INDEX "{index.name}" ATTACH PARTITION "{name}"'
