"""Keep conversation text out of PostgreSQL's planner statistics.

`ANALYZE` copies common and sampled values of each column into `pg_statistic`, where they outlive their rows: until the
next `ANALYZE` that finds rows, and forever in a table that was emptied. No plan needs the values of columns that are
only read, so their sampling is turned off, like indexes after the migrations. The terms of `anchor_posting` are
searched, and good plans need their values: an `ANALYZE` after each erasure drops the erased ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import LargeBinary, Text, text

from turnfold.contract.tables import Base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_SHORT: Final = frozenset({
    ("job", "error"), ("model_note", "speaker"), ("node", "slug"),
    ("parked_entry", "error"), ("turn", "name"),
})  # fmt: skip
"""Columns of short strings that may contain conversation text; text and bytes columns are all included anyway."""

_SAMPLED: Final = text(
    "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
    "WHERE attrelid = CAST(:table AS regclass) AND attname = :column AND COALESCE(attstattarget, -1) <> 0"
)
_KNOWN: Final = text(
    "SELECT EXISTS (SELECT 1 FROM pg_stats WHERE schemaname = current_schema() AND attname = :column AND tablename IN ("
    "  SELECT CAST(:table AS text) UNION SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
    "  WHERE i.inhparent = CAST(:table AS regclass)))"
)


def columns_with_words() -> Iterator[tuple[str, str]]:
    """Yield tables and columns whose values must not be sampled."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            is_read_only = isinstance(column.type, (Text, LargeBinary)) and not column.primary_key
            if is_read_only or (table.name, column.name) in _SHORT:
                yield table.name, column.name


def sample_no_words(connection: Connection) -> None:
    """Turn off sampling of columns with text and drop their sampled values; does nothing where that is already done."""
    if connection.dialect.name != "postgresql":
        return
    for table, column in columns_with_words():
        names = {"table": table, "column": column}
        type_ = connection.scalar(_SAMPLED, names)
        if type_ is None:
            continue
        connection.execute(text(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS 0'))
        if connection.scalar(_KNOWN, names):
            # Setting the same type again rewrites no row, and drops the sampled values.
            connection.execute(text(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE {type_}'))
