"""A model's notes in SQL: stored next to the rules' notes, deleted with their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, delete, select

from turnfold.contract.records import ConversationId, Origin
from turnfold.contract.tables import ModelNoteRow, table
from turnfold_worker.adapters.sql import model_search as sql_model_search

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.notes import ModelNote

_note = table(ModelNoteRow)


def replace(
    connection: Connection, conversation: ConversationId, height: int, idx: int, notes: Sequence[ModelNote],
    **provenance: Any,
) -> None:  # fmt: skip
    """Replace a model's notes on a node."""
    drop(connection, conversation, _note.c.height == height, _note.c.idx == idx)
    rows = [
        {
            "conversation": conversation, "height": height, "idx": idx, "place": place, "turns": list(note.turns),
            "speaker": note.speaker, "role": note.role, "origin": str(note.origin), "said_on": note.said_on,
            "body": note.text, "brief": note.brief or None,
            "importance": note.importance, "day_meant": note.day_meant or None, **provenance,
        }
        for place, note in enumerate(notes)
    ]  # fmt: skip
    if rows:
        connection.execute(_note.insert(), rows)
    if height == 0:
        sql_model_search.put(connection, conversation, idx, notes)


def drop(connection: Connection, conversation: ConversationId, *which: ColumnElement[bool]) -> None:
    """Delete some of a model's notes on a conversation."""
    gone = delete(_note).where(_note.c.conversation == conversation, *which).returning(_note.c.height, _note.c.idx)
    sql_model_search.drop(connection, conversation, [row.idx for row in connection.execute(gone) if row.height == 0])


def drop_all(connection: Connection, conversation: ConversationId) -> None:
    """Delete all of a model's notes on a conversation."""
    sql_model_search.drop_all(connection, conversation)
    connection.execute(delete(_note).where(_note.c.conversation == conversation))


def read(
    connection: Connection, conversation: ConversationId, *which: ColumnElement[bool]
) -> Mapping[tuple[int, int], Sequence[ModelNote]]:
    """Read notes by (height, index) of their nodes."""
    rows = connection.execute(
        select(_note)
        .where(_note.c.conversation == conversation, *which)
        .order_by(_note.c.height, _note.c.idx, _note.c.place)
    )
    found: dict[tuple[int, int], list[ModelNote]] = {}
    for row in rows:
        found.setdefault((row.height, row.idx), []).append(note_record(row))
    return found


def of_segments(
    connection: Connection, conversation: ConversationId, first: int, last: int
) -> Mapping[int, Sequence[ModelNote]]:
    """Read the notes on some segments, by index."""
    notes = read(connection, conversation, _note.c.height == 0, _note.c.idx.between(first, last))
    return {idx: of_node for (_, idx), of_node in notes.items()}


def note_record(row: Any) -> ModelNote:
    """Decode a note from its row."""
    # Imported here: for a worker without a model, importing the refinement stages takes longer than the SQL.
    from turnfold_worker.pipeline.refinement.notes import ModelNote

    return ModelNote(
        turns=tuple(row.turns), speaker=row.speaker, role=row.role, origin=Origin(row.origin), said_on=row.said_on,
        text=row.body,
        brief=row.brief or "", importance=row.importance, day_meant=row.day_meant or "",
    )  # fmt: skip
