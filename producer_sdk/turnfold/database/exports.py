"""Export of a tenant's conversations as the lines of an archive, each from one snapshot of SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, Table, func, select

from turnfold.contract.keys import Address
from turnfold.contract.tables import ConversationRow, standing, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.failures import translated
from turnfold.database.lists import among_texts
from turnfold.database.processor_share import waiting
from turnfold.errors import UnknownConversation
from turnfold.wire.archives import FOLDED, JOB, SAID, VERSION, archived_columns, line, schema_mark, to_json

ROWS_AT_ONCE: Final = 500
"""Rows fetched at a time."""

_conversation = table(ConversationRow)


def turns_of(engine: Engine, tenant: str, names: Sequence[str]) -> int:
    """Count the stored turns of some conversations, for a progress bar. Raises `Unavailable` or `SchemaMismatch`."""
    counted = select(func.coalesce(func.sum(_conversation.c.turn_count), 0)).where(
        _conversation.c.tenant == tenant, among_texts(_conversation.c.external_id, "names")
    )
    with translated(), engine.begin() as connection:
        return int(connection.scalar(counted, {"names": json.dumps([*names])}) or 0)


def header() -> bytes:
    """Return the first line of an archive."""
    return line("turnfold", "export", version=VERSION, schema=schema_mark())


def footer(conversations: int) -> bytes:
    """Return the last line of an archive of a number of conversations."""
    return line("turnfold", "end", conversations=conversations)


def opened(engine: Engine) -> Connection:
    """Take a connection from the pool; other threads may compute during the wait."""
    with waiting():
        return engine.connect()


def not_stored(address: Address) -> UnknownConversation:
    """Return the error for a conversation that is not stored."""
    return UnknownConversation(
        f"conversation {address.conversation!r} of tenant {address.tenant!r} is not stored",
        remedy="check its id and the tenant",
    )


def lines_of(engine: Engine, address: Address, *, turn_written: Callable[[], object] = lambda: None) -> Iterator[bytes]:
    """Yield the lines of one stored conversation lazily, from one snapshot.

    Raises `UnknownConversation`, `Unavailable` or `SchemaMismatch`.
    """
    with translated(), opened(engine) as connection, connection.begin():
        row = connection.execute(
            select(_conversation).where(
                _conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation,
                standing(),
            )
        ).first()  # fmt: skip
        if row is None:
            raise not_stored(address)
        yield line("conversation", {"conversation_id": address.conversation, **_values(_conversation, row)})
        lines = 1
        for rows in (*SAID, *FOLDED, JOB):
            for row_found in _streamed(connection, _rows_of(rows, row.id)):
                yield line(rows.name, _values(rows, row_found))
                lines += 1
                if rows.name == "turn":
                    turn_written()
        yield line("end", {"conversation_id": address.conversation, "lines": lines})


def _rows_of(rows: Table, conversation: int) -> Select[Any]:
    """Select a conversation's rows of a table by primary key; of jobs, only those that fold a segment again."""
    wanted = select(*archived_columns(rows)).where(rows.c.conversation == conversation)
    if rows is JOB:
        waits = rows.c.state.in_([str(JobState.DUE), str(JobState.RUNNING), str(JobState.PARKED)])
        wanted = wanted.where(rows.c.kind == str(JobKind.REFOLD), waits)
    return wanted.order_by(*rows.primary_key)


def _streamed(connection: Connection, wanted: Select[Any]) -> Iterator[Any]:
    return iter(connection.execution_options(yield_per=ROWS_AT_ONCE).execute(wanted))


def _values(rows: Table, stored_row: Any) -> dict[str, Any]:
    given = stored_row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    values = {column.name: to_json(given[column.name]) for column in archived_columns(rows)}
    if rows is JOB and values["state"] == str(JobState.RUNNING):
        # The job's lease is with a worker of this database; the importing one has to start it again.
        values["state"] = str(JobState.DUE)
    return values
