"""Hash a conversation's canonical state: equal turns and settings give equal hashes, however the work was scheduled."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Engine, Table, or_, select

from turnfold.contract.canonical import CANONICAL_COLUMNS, COMPRESSED, RULES_ONLY
from turnfold.contract.dropped_postings import MARK
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import Base, ConversationRow, PostingRow, table
from turnfold_worker.errors import not_stored


def digest(engine: Engine, tenant: str, conversation_id: str) -> str:
    """Return the hexadecimal SHA-256 over the canonical rows. Raises `UnknownConversation`."""
    conversation = table(ConversationRow)
    hashed = sha256()
    with engine.begin() as connection:
        id_ = connection.scalar(
            select(conversation.c.id).where(
                conversation.c.tenant == tenant, conversation.c.external_id == conversation_id
            )
        )
        if id_ is None:
            raise not_stored(tenant, conversation_id)
        for name, columns in CANONICAL_COLUMNS.items():
            rows = Base.metadata.tables[name]
            order = [columns.index(column.name) for column in rows.primary_key if column.name in columns]
            found = connection.execute(_statement(rows, columns, int(id_))).all()
            # Sorted in Python, because databases differ in how they collate text.
            for row in sorted(found, key=lambda row, order=order: [row[i] for i in order]):  # type: ignore[misc]
                values = [_plain(_opened(name, column, value)) for column, value in zip(columns, row, strict=True)]
                line = json.dumps([name, *values], ensure_ascii=False, sort_keys=True)
                hashed.update(line.encode() + b"\n")
    return hashed.hexdigest()


def unfolded(engine: Engine, address: Address) -> ConversationId | None:
    """Return the conversation's id when it has turns to fold or postings to rebuild; None otherwise."""
    row, posting = table(ConversationRow), table(PostingRow)
    mark = select(posting.c.number).where(posting.c.conversation == row.c.id, posting.c.number == MARK)
    waiting = select(row.c.id).where(
        row.c.tenant == address.tenant, row.c.external_id == address.conversation,
        or_(row.c.fold_seq < row.c.turn_count, mark.scalar_subquery().is_not(None)),
    )  # fmt: skip
    with engine.begin() as connection:
        found = connection.scalar(waiting)
    return None if found is None else ConversationId(found)


def _statement(rows: Table, columns: tuple[str, ...], conversation: int) -> Any:
    owner = rows.c.id if rows.name == "conversation" else rows.c.conversation
    statement = select(*(rows.c[name] for name in columns)).where(owner == conversation)
    if rows.name in RULES_ONLY:
        statement = statement.where(rows.c.refined == 0)
    return statement


def _opened(name: str, column: str, value: object) -> object:
    form = COMPRESSED.get((name, column))
    return zlib.decompress(value, form) if form is not None and isinstance(value, bytes) else value


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    return value
