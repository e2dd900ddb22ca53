"""Archives: whole conversations as lines of JSON, written by `turnfold export` and read by `turnfold import`.

The first line of an archive states the version that wrote it, the last one the number of conversations. In between,
each conversation has a line of its own, a line for each turn and operation, in order, then lines of the folded state,
and an end line with the number of lines, so that truncation is detected.

    {"turnfold": "export", "version": 1, "schema": "5f0c…"}
    {"conversation": {"conversation_id": "chat-1", "turn_count": 2, …}}
    {"turn": {"seq": 1, "turn_id": "m-1", "role": "user", "content": "We use PostgreSQL.", …}}
    {"node": {…}}
    {"end": {"conversation_id": "chat-1", "lines": 40}}
    {"turnfold": "end", "conversations": 1}

The folded state is included because folding the turns of an edited conversation again would not reproduce it: the
ends of segments may stem from words that are erased by now.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from hashlib import blake2b
from typing import Any, Final

from sqlalchemy import Column, LargeBinary, Table

from turnfold.contract.columns import UtcDateTime
from turnfold.contract.lookalikes import escaped_json
from turnfold.contract.tables import (
    USAGE,
    Base,
    ConversationRow,
    JobRow,
    OperationRow,
    ParkedEntryRow,
    ReplyRow,
    RewoundTurnRow,
    SubjectTurnRow,
    TurnChangeRow,
    TurnRow,
    table,
)

VERSION: Final = 1

SAID: Final = tuple(
    table(rows) for rows in (TurnRow, OperationRow, TurnChangeRow, RewoundTurnRow, SubjectTurnRow, ParkedEntryRow)
)
"""Tables of appended turns and their changes, in the order of their lines. All other tables derive from these."""

JOB: Final = table(JobRow)
"""Only jobs that fold a segment again are exported: see `turnfold.database.exports`."""

_LEFT_OUT: Final = frozenset({table(ReplyRow), JOB, USAGE, *SAID})
"""Excluded: replies of models can be requested again, and their cost stays with the tenant that paid for them."""

FOLDED: Final = tuple(
    rows for rows in Base.metadata.sorted_tables if "conversation" in rows.columns and rows not in _LEFT_OUT
)
"""Tables of the folded state."""

TABLES: Final[Mapping[str, Table]] = {
    rows.name: rows for rows in (table(ConversationRow), *SAID, *FOLDED, JOB)
}  # fmt: skip
"""Every table that an archive has lines of, by name."""

_ABOVE_EVERY_INTEGER: Final = 2**63

_MADE_HERE: Final[Mapping[str, frozenset[str]]] = {
    "conversation": frozenset({"id", "tenant", "external_id", "words_since"}),
    "parked_entry": frozenset({"id", "conversation"}),
    "subject_turn": frozenset({"conversation", "tenant"}),
    "job": frozenset({"id", "conversation", "tenant", "claim", "lease_until", "not_before"}),
}
"""Columns that each database and tenant fills in itself; for other tables only `conversation`."""


@cache
def archived_columns(rows: Table) -> tuple[Column[Any], ...]:
    """Return the exported columns of a table."""
    made_here = _MADE_HERE.get(rows.name, frozenset({"conversation"}))
    return tuple(column for column in rows.columns if column.name not in made_here)


@cache
def schema_mark() -> str:
    """Return a hash of all exported columns and their types, as sixteen hexadecimal digits."""
    names = [
        f"{rows.name}.{column.name}:{type(column.type).__name__}"
        for rows in TABLES.values()
        for column in archived_columns(rows)
    ]
    return blake2b("\n".join(sorted(names)).encode(), digest_size=8).hexdigest()


def line(kind: str, values: Any, **more: Any) -> bytes:
    """Serialize one line of an archive."""
    return escaped_json(json.dumps({kind: values, **more}, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"


def to_json(value: Any) -> Any:
    """Convert a column's value to JSON: bytes to base64, times to ISO 8601."""
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    return value


def from_json(column: Column[Any], value: Any) -> Any:
    """The inverse of `to_json`. Raises `ValueError` or `TypeError` for a value that the column cannot store."""
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column.name} is missing")
        return None
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    wanted = column.type.python_type
    if wanted is datetime or isinstance(column.type, UtcDateTime):
        moment = datetime.fromisoformat(value)
        if moment.utcoffset() is None:
            raise ValueError(f"{column.name} has no time zone")
        return moment
    if wanted is date:
        return date.fromisoformat(value)
    if wanted in {int, str} and (not isinstance(value, wanted) or isinstance(value, bool)):
        raise TypeError(f"{column.name} has the wrong type")
    if isinstance(value, str):
        # Neither database accepts lone surrogates.
        value.encode()
    if isinstance(value, int) and abs(value) >= _ABOVE_EVERY_INTEGER:
        raise ValueError(f"{column.name} is too large")
    return value
