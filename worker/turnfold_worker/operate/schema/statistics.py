"""What PostgreSQL's planner may know of words: of what was said nothing.

`ANALYZE` copies common and sampled values of each column into `pg_statistic`, where a word outlives its row: until the
next `ANALYZE` that finds rows, and of a table that was emptied for ever. No plan needs values of columns that are only
read. As indexes are, this is seen to behind the migrations. Terms of `anchor_posting` are looked for, and their values
are what a good plan needs: an `ANALYZE` behind the erasure lets go of them.
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
"""Columns of short texts that hold words; those of long texts, and of bytes, all may."""

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
    """Tables and columns of which no value is sampled."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            is_read_only = isinstance(column.type, (Text, LargeBinary)) and not column.primary_key
            if is_read_only or (table.name, column.name) in _SHORT:
                yield table.name, column.name


def sample_no_words(connection: Connection) -> None:
    """Have no value of these columns sampled any more, and drop what was; nothing to do where that was done before."""
    if connection.dialect.name != "postgresql":
        return
    for table, column in columns_with_words():
        names = {"table": table, "column": column}
        type_ = connection.scalar(_SAMPLED, names)
        if type_ is None:
            continue
        connection.execute(text(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS 0'))
        if connection.scalar(_KNOWN, names):
            # The same type again: no row is written, and what was sampled goes.
            connection.execute(text(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE {type_}'))
