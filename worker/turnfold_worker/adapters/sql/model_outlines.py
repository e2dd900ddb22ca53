"""Outlines with a model's notes instead of the rules': derived rows, rebuilt with their sources.

They contain the parts with notes, and statements that a model found superseded. The cover, the names and the tail of an
outline are read from the rules' outline, which is made first and never depends on these rows. Without rows here reads
use the rules' notes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_

from turnfold.contract.notes import FIRST_OF_CHAPTER, ChapterName, Covered, Note
from turnfold.contract.outlines import FIRST_TIER, MODEL_PART, Outline, pack_outline
from turnfold.contract.overtaken import pack_overtaken
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import ModelNoteRow, ModelOutlineRow, table
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.pipeline.notes.overtaken_values import overtaken_statement
from turnfold_worker.pipeline.outline import NodeNotes, make_outline, without_overtaken

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.notes import ModelNote

_note = table(ModelNoteRow)
_outline = table(ModelOutlineRow)
_DROP: Final = delete(_outline).where(_outline.c.conversation == bindparam("of_conversation"))


def put(connection: Connection, conversation: ConversationId, outline: Outline, held: Sequence[NodeNotes]) -> None:
    """Rebuild the rows of a conversation; `held` are the rules' notes on the nodes of its outline's cover."""
    drop(connection, conversation)
    written = _written(connection, conversation, [*outline.cover, *outline.chapters])
    if not written:
        return
    # Imported here: only conversations with a model's notes need these modules.
    from turnfold_worker.pipeline.refinement.ends import OverStatement, with_ends
    from turnfold_worker.pipeline.refinement.outline_notes import BEFORE_SEGMENTS, in_place_of, on_chapters, still_so

    over = sql_anchors.overtaken_by_models(connection, conversation)
    statements = [OverStatement.of(anchor) for anchor in over]
    written = {node: with_ends(notes, statements) for node, notes in written.items()}
    of_nodes = [written.get((covered.height, covered.idx), ()) for covered in outline.cover]
    noted = [still_so(in_place_of(node.notes, notes), statements) for node, notes in zip(held, of_nodes, strict=True)]
    settled = sql_anchors.settled(connection, conversation)

    def ranked(notes: Sequence[tuple[Note, ...]]) -> Sequence[Note]:
        nodes = [replace(node, notes=of_node) for node, of_node in zip(held, notes, strict=True)]
        made = make_outline(list(zip(outline.cover, nodes, strict=True)), settled=settled)
        return without_overtaken(made, outline.tail_overtaken).notes

    told = on_chapters(outline.cover, noted, written)
    chapter_notes = [
        note._replace(gain=note.gain // BEFORE_SEGMENTS) if note.place >= FIRST_OF_CHAPTER else note
        for note in (ranked(told) if told else ())
    ]
    made = Outline(notes=ranked(noted), chapter_notes=chapter_notes)
    rows = [
        {"conversation": conversation, "part": part, "body": body}
        for part, body in sorted(pack_outline(made).items())
        if part >= FIRST_TIER
    ]
    if rows:
        body = json.dumps(pack_overtaken([*map(overtaken_statement, over)]), ensure_ascii=False, separators=(",", ":"))
        rows.append({"conversation": conversation, "part": MODEL_PART, "body": body})
        connection.execute(insert(_outline), rows)


def drop(connection: Connection, conversation: ConversationId) -> None:
    """Delete the rows, so that reads use the rules' notes."""
    connection.execute(_DROP, {"of_conversation": conversation})


def _written(
    connection: Connection, conversation: ConversationId, nodes: Sequence[Covered | ChapterName]
) -> Mapping[tuple[int, int], Sequence[ModelNote]]:
    """Read a model's notes on some nodes."""
    heights = sorted({node.height for node in nodes})
    if not heights:
        return {}
    wanted = or_(
        *(
            and_(_note.c.height == height, _note.c.idx.in_([node.idx for node in nodes if node.height == height]))
            for height in heights
        )
    )
    return sql_model_notes.read(connection, conversation, wanted)
