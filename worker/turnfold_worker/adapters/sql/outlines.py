"""Outlines in SQL: the nodes that they are made from, and their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, text, update

from turnfold.contract.actions import unpack_actions
from turnfold.contract.note_lists import unpack_notes
from turnfold.contract.notes import Covered
from turnfold.contract.outlines import FRAME_PART, NAMES_PART, Outline, pack_outline, unpack_outline
from turnfold.contract.records import FAN_OUT, MAX_HEIGHT, ConversationId, Role, StoredTurn
from turnfold.contract.tables import ConversationRow, NodeRow, NoteListRow, OutlineRow, table
from turnfold.contract.tail_anchors import NO_TAIL_ANCHORS
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn as _turn
from turnfold.database.statements import turn_columns
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import model_outlines as sql_model_outlines
from turnfold_worker.pipeline.name_index import NameIndex
from turnfold_worker.pipeline.outline import (
    NodeNotes,
    NodeSize,
    chapters_over,
    choose_cover,
    make_outline,
    without_overtaken,
)

_conversation = table(ConversationRow)
_node = table(NodeRow)
_notes = table(NoteListRow)
_outline = table(OutlineRow)

_SPANS: Final = ", ".join(f"({height}, {FAN_OUT**height})" for height in range(MAX_HEIGHT + 1))
_WINDOW: Final = 8 * FAN_OUT
"""Least number of nodes per height that an outline may be made from."""
_USERS: Final = 4
"""Turns of users at each end that are searched for a request."""

# The lower edge is aligned to 8: a node that has left the window of its height has its parent in the next.
_SIZES: Final = text(
    f"WITH want(height, span) AS (VALUES {_SPANS}) "  # noqa: S608 - constants of the contract
    "SELECT n.height, n.idx, n.first_seq, n.last_seq, n.tokens_0, n.slug, n.started_at, n.ended_at, l.tokens "
    "FROM want w JOIN node n ON n.conversation = :conversation AND n.height = w.height "
    f"AND n.idx >= (:node_count / w.span / {FAN_OUT}) * {FAN_OUT} - {_WINDOW} "
    "JOIN note_list l ON l.conversation = n.conversation AND l.height = n.height AND l.idx = n.idx "
    "ORDER BY n.height, n.idx"
).columns(
    _node.c.height, _node.c.idx, _node.c.first_seq, _node.c.last_seq, _node.c.tokens_0, _node.c.slug,
    _node.c.started_at, _node.c.ended_at, _notes.c.tokens,
)  # fmt: skip

# Built once: SQLAlchemy takes longer to build these than the database to run them.
_OF: Final = _outline.c.conversation == bindparam("of_conversation")
_FRAME: Final = (
    select(_outline.c.part, _outline.c.body)
    .where(_OF, _outline.c.part.in_((FRAME_PART, NAMES_PART)))
    .order_by(_outline.c.part)
)
_UPDATE_FRAME: Final = update(_outline).where(_OF, _outline.c.part == FRAME_PART).values(body=bindparam("now"))
_DELETE: Final = delete(_outline).where(_OF)
_INSERT: Final = insert(_outline)


def sizes(connection: Connection, conversation: ConversationId, node_count: int) -> list[NodeSize]:
    """Read the newest nodes of each height with the size of their notes; bounded, however long the conversation."""
    rows = connection.execute(_SIZES, {"conversation": conversation, "node_count": node_count})
    return [
        NodeSize(
            Covered(
                row.height,
                row.idx,
                row.first_seq,
                row.last_seq,
                row.tokens_0,
                row.slug,
                _day(row.started_at),
                _day(row.ended_at),
            ),
            row.tokens,
        )
        for row in rows
    ]


def _day(moment: datetime | None) -> str:
    return "" if moment is None else moment.date().isoformat()


def notes(connection: Connection, conversation: ConversationId, cover: Sequence[Covered]) -> list[NodeNotes]:
    """Read the notes on the nodes of a cover, in its order."""
    if not cover:
        return []
    heights = sorted({node.height for node in cover})
    wanted = or_(
        *(
            and_(_notes.c.height == height, _notes.c.idx.in_([node.idx for node in cover if node.height == height]))
            for height in heights
        )
    )
    rows = connection.execute(
        select(_notes.c.height, _notes.c.idx, _notes.c.best, _notes.c.ledger, _notes.c.actions, _notes.c.said).where(
            _notes.c.conversation == conversation, wanted
        )
    )
    found = {
        (row.height, row.idx): NodeNotes(
            unpack_notes(row.best), NameIndex.from_json(row.ledger), unpack_actions(row.actions), row.said
        )
        for row in rows
    }
    return [found[node.height, node.idx] for node in cover]


def users(connection: Connection, conversation: ConversationId, last_seq: int) -> list[StoredTurn]:
    """Read the first and the newest turns of users up to `last_seq`: those that may state an agent's task."""
    said = (
        select(*turn_columns(capped=False))
        .where(_turn.c.conversation == conversation, _turn.c.seq <= last_seq, _turn.c.role == str(Role.USER))
        .limit(_USERS)
    )  # fmt: skip
    found = {
        row.seq: turn_record(row)
        for order in (_turn.c.seq, _turn.c.seq.desc())
        for row in connection.execute(said.order_by(order))
    }
    return [found[seq] for seq in sorted(found)]


def frame(connection: Connection, conversation: ConversationId) -> Outline | None:
    """Read an outline without its notes: its cover, and the names that select names of the open tail."""
    return unpack_outline((row.part, row.body) for row in connection.execute(_FRAME, {"of_conversation": conversation}))


def write(connection: Connection, conversation: ConversationId, outline: Outline, *, frame_only: bool) -> None:
    """Replace the outline of a locked conversation; with `frame_only`, only the frame of an existing outline."""
    if frame_only:
        _put_frame(connection, conversation, outline)
        return
    connection.execute(_DELETE, {"of_conversation": conversation})
    connection.execute(
        _INSERT,
        [
            {"conversation": conversation, "part": part, "body": body}
            for part, body in sorted(pack_outline(outline).items())
        ],
    )
    put_models(connection, conversation, outline)


def _put_frame(connection: Connection, conversation: ConversationId, outline: Outline) -> None:
    connection.execute(_UPDATE_FRAME, {"of_conversation": conversation, "now": pack_outline(outline)[FRAME_PART]})


def put_models(connection: Connection, conversation: ConversationId, outline: Outline | None = None) -> None:
    """Write a stored outline's variant with a model's notes, where there are any."""
    known = outline or frame(connection, conversation)
    if known is not None and known.cover:
        held = notes(connection, conversation, known.cover)
        sql_model_outlines.put(connection, conversation, known, held)


def rebuild(connection: Connection, conversation: ConversationId) -> None:
    """Rebuild an outline in a transaction that has changed its nodes; does nothing where there is none yet."""
    known = frame(connection, conversation)
    if known is None:
        return
    mine = update(_conversation).where(_conversation.c.id == conversation)
    changed = mine.values(revision=_conversation.c.revision + 1).returning(_conversation.c.node_count)
    node_count = connection.scalar(changed)
    outline = _made(connection, conversation, node_count or 0, known.last_seq)
    ends = replace(
        without_overtaken(outline, known.tail_overtaken), tail=known.tail, tail_seq=known.tail_seq,
        tail_names=known.tail_names, tail_actions=known.tail_actions, tail_requests=known.tail_requests,
        tail_anchors=known.tail_anchors,
    )  # fmt: skip
    write(connection, conversation, ends, frame_only=False)


def _made(connection: Connection, conversation: ConversationId, node_count: int, last_seq: int) -> Outline:
    """Make the outline of the turns up to `last_seq`."""
    known = sizes(connection, conversation, node_count)
    cover = choose_cover(known, last_seq=last_seq)
    covered = list(zip(cover, notes(connection, conversation, cover), strict=True))
    return make_outline(
        covered, chapters_over(known, cover), sql_anchors.settled(connection, conversation),
        users(connection, conversation, last_seq),
    )  # fmt: skip


def drop_tail(connection: Connection, conversation: ConversationId) -> None:
    """Remove the open tail from an outline until the next fold: reads then show the turns themselves."""
    known = frame(connection, conversation)
    if known is None:
        return
    if known.tail_overtaken:
        # Notes that the tail superseded are missing in the other parts too.
        node_count = connection.scalar(select(_conversation.c.node_count).where(_conversation.c.id == conversation))
        _put_anew(connection, conversation, node_count=node_count or 0, last_seq=known.last_seq)
        return
    alone = replace(
        known, tail=(), tail_seq=0, tail_names=(), tail_actions=(), tail_requests=(), tail_anchors=NO_TAIL_ANCHORS
    )
    _put_frame(connection, conversation, alone)


def cut_back(connection: Connection, conversation: ConversationId, *, node_count: int, last_seq: int) -> None:
    """Limit an outline to turns up to `last_seq`, after the nodes behind it were deleted."""
    known = frame(connection, conversation)
    if known is None:
        return
    if known.last_seq <= last_seq:
        drop_tail(connection, conversation)
        return
    _put_anew(connection, conversation, node_count=node_count, last_seq=last_seq)


def _put_anew(connection: Connection, conversation: ConversationId, *, node_count: int, last_seq: int) -> None:
    """Replace an outline by one of the turns up to `last_seq`."""
    connection.execute(_DELETE, {"of_conversation": conversation})
    sql_model_outlines.drop(connection, conversation)
    if last_seq:
        outline = _made(connection, conversation, node_count, last_seq)
        write(connection, conversation, outline, frame_only=False)
