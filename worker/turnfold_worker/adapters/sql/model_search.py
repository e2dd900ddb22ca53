"""Search rows of a model's notes on segments: passages and postings, written and deleted with the notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, delete, select

from turnfold.contract.records import ConversationId
from turnfold.contract.tables import ConversationRow, ModelPassageRow, ModelPostingRow, table
from turnfold_worker.adapters.sql.postings import Postings

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.notes import ModelNote

_conversation = table(ConversationRow)
_passages = table(ModelPassageRow)
_postings = table(ModelPostingRow)

MODEL_POSTINGS: Final = Postings(_postings)
"""Postings of a model's notes: merged in the same steps as the rules', by the number of segments."""


def put(connection: Connection, conversation: ConversationId, idx: int, notes: Sequence[ModelNote]) -> None:
    """Write the search rows of the notes on a segment that has none yet."""
    # Imported here: for a worker without a model, importing the refinement stages takes longer than the SQL.
    from turnfold_worker.pipeline.notes.passages import postings_of
    from turnfold_worker.pipeline.refinement.outline_notes import passages_of_notes

    passages = passages_of_notes(notes)
    if not passages:
        return
    body = json.dumps(
        [[passage.number, passage.packed()] for passage in passages], ensure_ascii=False, separators=(",", ":")
    )
    connection.execute(_passages.insert(), {"conversation": conversation, "idx": idx, "body": body})
    held = [(term, idx, weight, where) for term, weight, where in postings_of({}, passages)]
    segments = connection.scalar(select(_conversation.c.node_count).where(_conversation.c.id == conversation)) or 0
    MODEL_POSTINGS.replace(connection, conversation, idx, held, segments=segments)


def drop(connection: Connection, conversation: ConversationId, segments: Iterable[int]) -> None:
    """Delete the search rows of the notes on some segments."""
    wanted = sorted(set(segments))
    gone = delete(_passages).where(_passages.c.conversation == conversation, _passages.c.idx.in_(wanted))
    for idx in connection.scalars(gone.returning(_passages.c.idx)).all() if wanted else ():
        # Nothing is added, so the number of segments does not matter.
        MODEL_POSTINGS.replace(connection, conversation, idx, (), segments=0)


def drop_all(connection: Connection, conversation: ConversationId) -> None:
    """Delete the search rows of all of a model's notes."""
    for rows in (_passages, _postings):
        connection.execute(delete(rows).where(rows.c.conversation == conversation))


def cut(connection: Connection, conversation: ConversationId, segments: int) -> None:
    """Delete the search rows after the first `segments`: as if there had never been more."""
    connection.execute(delete(_passages).where(_passages.c.conversation == conversation, _passages.c.idx >= segments))
    MODEL_POSTINGS.cut(connection, conversation, segments)
