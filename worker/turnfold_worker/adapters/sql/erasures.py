"""Delete a forgotten conversation: hidden at once, then deleted in pieces, however long it is.

Hidden means that its row gets an external id that no caller can give. So no reader sees half of a conversation, its id
is free for a new one, and the rest is found again after a crash. Its row is deleted last and keeps the counts for the
receipt.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Delete, Engine, Integer, Select, Table, bindparam, delete, select, tuple_, update
from sqlalchemy.pool import StaticPool

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import (
    HIDDEN_PREFIX,
    Base,
    ConversationRow,
    JobRow,
    ParkedEntryRow,
    TurnRow,
    standing,
    table,
)
from turnfold_worker.ports.messages import Hidden

LONG_LOG_BYTES: Final = 16 * 1_048_576
"""Log size to shorten: four times what SQLite's own checkpoints leave without concurrent reads."""
LOG_WAIT_MILLISECONDS: Final = 500
"""How long to wait for reads when emptying SQLite's log, before it is left to the next sweep."""
COST_AT_ONCE: Final = 2_000
"""Rows that one transaction deletes, so that no lock is held for long; large rows count more."""

_conversation = table(ConversationRow)
_job = table(JobRow)

_LARGE: Final = {table(TurnRow): 10, table(ParkedEntryRow): 10}
"""Tables of rows with content, and how many rows each counts for."""


class _Part(NamedTuple):
    """The statements on a conversation's rows in one table. `own` is the conversation's id."""

    cost: int
    key_at: Select[Any]
    """Selects the key of the row after the first `skipped` ones."""
    delete_all: Delete
    delete_first: Delete
    """Deletes the rows up to the key `last_0`, `last_1` …"""


def _part(rows: Table) -> _Part:
    key = [column for column in rows.primary_key if column.name != "conversation"]
    own = rows.c.conversation == bindparam("own")
    last = [bindparam(f"last_{number}", type_=column.type) for number, column in enumerate(key)]
    return _Part(
        cost=_LARGE.get(rows, 1),
        key_at=select(*key).where(own).order_by(*key).offset(bindparam("skipped", type_=Integer)).limit(1),
        delete_all=delete(rows).where(own),
        delete_first=delete(rows).where(own, tuple_(*key) <= tuple_(*last)),
    )


# A table with one row per conversation is deleted with it, by cascade.
_PARTS: Final = tuple(
    _part(rows)
    for rows in reversed(Base.metadata.sorted_tables)
    if "conversation" in rows.columns and [*rows.primary_key] != [rows.columns["conversation"]]
)


def _hidden_id(address: Address) -> str:
    """Return the external id of a hidden conversation; equal in every erasure, since there is one at a time."""
    return HIDDEN_PREFIX + blake2b(address.conversation.encode(), digest_size=16).hexdigest()


def hide(connection: Connection, address: Address, confirmed: Callable[[], bool]) -> Hidden | None:
    """Hide a conversation's rows if `confirmed()` still holds once they are found; None where there are none.

    Rows that an earlier erasure hid but did not delete come first, without confirmation.
    """
    hidden = connection.execute(_rows_of(address, _hidden_id(address))).first()
    if hidden is None:
        row = connection.execute(_rows_of(address, address.conversation).with_for_update()).first()
        if row is None or not confirmed():
            return None
        # Running folds find another revision, and later ones no job.
        values = {"external_id": _hidden_id(address), "edit_revision": _conversation.c.edit_revision + 1}
        connection.execute(update(_conversation).where(_conversation.c.id == row.id).values(values))
        connection.execute(delete(_job).where(_job.c.conversation == row.id))
        hidden = row
    counts = {"turns": hidden.turn_count, "segments": hidden.node_count, "anchors": hidden.next_anchor - 1}
    return Hidden(ConversationId(hidden.id), counts)


def _rows_of(address: Address, external_id: str) -> Any:
    return select(
        _conversation.c.id, _conversation.c.turn_count, _conversation.c.node_count, _conversation.c.next_anchor
    ).where(_conversation.c.tenant == address.tenant, _conversation.c.external_id == external_id)


def delete_some(connection: Connection, conversation: ConversationId) -> bool:
    """Delete some rows of a hidden conversation; False when none are left."""
    row = connection.scalar(
        select(_conversation.c.id).where(_conversation.c.id == conversation, ~standing()).with_for_update()
    )
    if row is None:
        return False
    room = COST_AT_ONCE
    for part in _PARTS:
        room -= part.cost * _delete(connection, part, conversation, max(1, room // part.cost))
        if room <= 0:
            return True
    connection.execute(delete(_conversation).where(_conversation.c.id == conversation))
    return False


def _delete(connection: Connection, part: _Part, conversation: ConversationId, most: int) -> int:
    """Delete the first `most` rows in key order; return how many were deleted."""
    last = connection.execute(part.key_at, {"own": conversation, "skipped": most - 1}).first()
    if last is None:
        return connection.execute(part.delete_all, {"own": conversation}).rowcount
    keys = {f"last_{number}": value for number, value in enumerate(last)}
    return connection.execute(part.delete_first, {"own": conversation, **keys}).rowcount


def shorten_log(engine: Engine) -> bool:
    """Empty SQLite's write-ahead log where it is long; False while a read is in the way.

    SQLite itself overwrites the log from its start only while no read is active, which may never be the case, and does
    not shrink it.
    """
    if engine.dialect.name != "sqlite" or isinstance(engine.pool, StaticPool):
        return True
    with engine.connect() as connection:
        file = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").scalar()
    try:
        length = Path(f"{file}-wal").stat().st_size
    except OSError:
        return True
    return length <= LONG_LOG_BYTES or empty_log(engine)


def empty_log(engine: Engine) -> bool:
    """Empty SQLite's write-ahead log; False while a read is in the way. PostgreSQL's is not ours to empty."""
    if engine.dialect.name != "sqlite" or isinstance(engine.pool, StaticPool):
        return True
    connection = engine.raw_connection()
    try:
        driver: Any = connection.driver_connection
        waited = driver.execute("PRAGMA busy_timeout").fetchone()[0]
        driver.execute(f"PRAGMA busy_timeout={LOG_WAIT_MILLISECONDS}")
        try:
            busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            driver.execute(f"PRAGMA busy_timeout={waited}")
    finally:
        connection.close()
    return not busy
