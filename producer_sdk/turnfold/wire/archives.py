"""Archives: whole conversations as lines of JSON, which `turnfold export` writes and `turnfold import` takes.

An archive's first line says which version wrote it, its last one how many conversations it holds. Between these, of
each conversation: a line of its own, a line for each turn and operation, in order, then what is folded of them, and an
end with the number of lines. So whatever was cut short is noticed.

    {"turnfold": "export", "version": 1, "schema": "5f0c…"}
    {"conversation": {"conversation_id": "chat-1", "turn_count": 2, …}}
    {"turn": {"seq": 1, "turn_id": "m-1", "role": "user", "content": "We use PostgreSQL.", …}}
    {"node": {…}}
    {"end": {"conversation_id": "chat-1", "lines": 40}}
    {"turnfold": "end", "conversations": 1}

What is folded comes along because an edited conversation is not what folding its turns again would give: segments keep
the ends that they got from words which are erased by now.
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
"""Tables of what was appended and changed, in the order of their lines. All others are made of these."""

JOB: Final = table(JobRow)
"""Of these only folds that are still to be done again: see `turnfold.database.exports`."""

_LEFT_OUT: Final = frozenset({table(ReplyRow), JOB, USAGE, *SAID})
"""What models replied is asked for again, and what they cost stays with the tenant that paid it."""

FOLDED: Final = tuple(
    rows for rows in Base.metadata.sorted_tables if "conversation" in rows.columns and rows not in _LEFT_OUT
)
"""Tables of what the turns are folded into."""

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
"""Columns that each database and tenant fills in for itself; of all other tables `conversation`."""


@cache
def archived_columns(rows: Table) -> tuple[Column[Any], ...]:
    """The columns that lines of a table hold."""
    made_here = _MADE_HERE.get(rows.name, frozenset({"conversation"}))
    return tuple(column for column in rows.columns if column.name not in made_here)


@cache
def schema_mark() -> str:
    """Sixteen hexadecimal digits: equal where two versions keep the same columns of the same types."""
    names = [
        f"{rows.name}.{column.name}:{type(column.type).__name__}"
        for rows in TABLES.values()
        for column in archived_columns(rows)
    ]
    return blake2b("\n".join(sorted(names)).encode(), digest_size=8).hexdigest()


def line(kind: str, values: Any, **more: Any) -> bytes:
    """One line of an archive."""
    return escaped_json(json.dumps({kind: values, **more}, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"


def to_json(value: Any) -> Any:
    """A column's value as JSON has it: bytes in base64, times in ISO 8601."""
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    return value


def from_json(column: Column[Any], value: Any) -> Any:
    """The inverse of `to_json`. Raises `ValueError` or `TypeError` for what the column cannot hold."""
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
        raise TypeError(f"{column.name} is of another type")
    if isinstance(value, str):
        # Neither database takes half of a surrogate pair.
        value.encode()
    if isinstance(value, int) and abs(value) >= _ABOVE_EVERY_INTEGER:
        raise ValueError(f"{column.name} is too large")
    return value
