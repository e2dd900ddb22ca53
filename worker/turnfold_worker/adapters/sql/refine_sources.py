"""Read the input of refining: a group of closed segments as the rules left them, and the rest of removed turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, and_, func, select

from turnfold.contract.records import FAN_OUT, Anchor, ConversationId, Method, StoredTurn, TurnState
from turnfold.contract.tables import AnchorRow, ConversationRow, LevelRow, NodeRow, TurnRow, table
from turnfold.database.rows import STATES, rules_node_record, said_anchor_record, turn_record
from turnfold.database.statements import ANCHOR_COLUMNS, WHO_AND_WHEN, turn_columns
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import folds as sql_folds
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.pipeline.refinement.reconstruction import Kept
from turnfold_worker.pipeline.refinement.sources import ChapterSource, ChildSource, NodeSource, RefineSource, open_at
from turnfold_worker.pipeline.settings import settings_at
from turnfold_worker.ports.models import ChapterGroup, Group, Owner, RefineTarget, Remains

EARLIER_ANCHORS: Final = 256
"""Anchors before a group that are read to select the few that are shown."""

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)
_turn = table(TurnRow)


def read_group(
    connection: Connection, conversation: ConversationId, target: RefineTarget, first_idx: int
) -> Group | None:
    """Read the group of a segment, as far as it is closed; None when its first segment is gone."""
    first, last = sql_refine_jobs.group_of(target, first_idx)
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    nodes = _nodes(connection, conversation, 0, first, last)
    if row is None or not nodes or nodes[0].node.idx != first:
        return None
    first_seq, last_seq = nodes[0].node.first_seq, nodes[-1].node.last_seq
    turns = _turns(connection, conversation, first_seq, last_seq)
    settings = settings_at(sql_folds.configurations(connection, conversation, last_seq - 1), last_seq)
    anchors = _rules_anchors(connection, conversation, _anchor.c.seq.between(first_seq, last_seq))
    earlier = _rules_anchors(connection, conversation, _anchor.c.seq < first_seq, most=EARLIER_ANCHORS)
    node_of = _nodes_of_related(connection, conversation, [*anchors, *earlier])
    source = RefineSource(
        goal=settings.goal, constraints=settings.constraints,
        segments=tuple(
            replace(node, turns=tuple(turns[node.node.first_seq - first_seq : node.node.last_seq - first_seq + 1]))
            for node in nodes
        ),
        anchors=tuple(sorted(anchors, key=lambda one: (one.turn_seq, one.start, one.id))),
        marked=tuple(open_at(anchors, last, node_of)),
        earlier=tuple(sorted(open_at(earlier, last, node_of), key=lambda one: (-one.rank, -one.id))),
    )  # fmt: skip
    return Group(source=source, settings=settings, edit_revision=row.edit_revision)


def _nodes(
    connection: Connection, conversation: ConversationId, height: int, first: int, last: int
) -> list[NodeSource]:
    rows = connection.execute(
        select(_node)
        .where(_node.c.conversation == conversation, _node.c.height == height, _node.c.idx.between(first, last))
        .order_by(_node.c.idx)
    )
    return [
        NodeSource(
            node=rules_node_record(row), method=Method(row.method), facts=row.facts, source_hash=bytes(row.source_hash)
        )
        for row in rows
    ]


def _rules_anchors(
    connection: Connection, conversation: ConversationId, *conditions: Any, most: int | None = None
) -> list[Anchor]:
    """Read anchors in the states that the rules gave them: a person may settle one before or after a request."""
    rows = connection.execute(
        select(*ANCHOR_COLUMNS, *WHO_AND_WHEN, _anchor.c.ruled)
        .join_from(_anchor, _turn, and_(_turn.c.conversation == _anchor.c.conversation, _turn.c.seq == _anchor.c.seq))
        .where(_anchor.c.conversation == conversation, sql_anchors.RULES, *conditions)
        .order_by(_anchor.c.id.desc())
        .limit(most)
    )
    return [
        said_anchor_record(row) if row.ruled is None else replace(said_anchor_record(row), state=STATES[row.ruled])
        for row in rows
    ]


def _nodes_of_related(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor]
) -> Mapping[int, int]:
    ids = sorted({anchor.related for anchor in anchors if anchor.related is not None})
    rows = connection.execute(
        select(_anchor.c.id, _anchor.c.node_idx).where(_anchor.c.conversation == conversation, _anchor.c.id.in_(ids))
    )
    return {row.id: row.node_idx for row in rows}


def read_chapter(connection: Connection, conversation: ConversationId, idx: int) -> ChapterGroup | None:
    """Read a chapter with its segments' notes; None when there is none."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    found = _nodes(connection, conversation, 1, idx, idx)
    if row is None or not found:
        return None
    (chapter,) = found
    first, last = chapter.node.first_seq, chapter.node.last_seq
    settings = settings_at(sql_folds.configurations(connection, conversation, last - 1), last)
    segments = (idx * FAN_OUT, idx * FAN_OUT + FAN_OUT - 1)
    notes = sql_model_notes.of_segments(connection, conversation, *segments)
    briefs = _briefs(connection, conversation, *segments)
    source = ChapterSource(
        goal=settings.goal, constraints=settings.constraints,
        chapter=replace(chapter, turns=tuple(_turns(connection, conversation, first, last))),
        children=tuple(
            ChildSource(
                number=segment + 1, notes=tuple(notes.get(segment, ())),
                brief="" if segment in notes else briefs.get(segment, ""),
            )
            for segment in range(segments[0], segments[1] + 1)
        ),
    )  # fmt: skip
    return ChapterGroup(source=source, edit_revision=row.edit_revision)


def _turns(connection: Connection, conversation: ConversationId, first: int, last: int) -> list[StoredTurn]:
    rows = connection.execute(
        select(*turn_columns(capped=False))
        .where(_turn.c.conversation == conversation, _turn.c.seq.between(first, last))
        .order_by(_turn.c.seq)
    )
    return [turn_record(row) for row in rows]


def _briefs(connection: Connection, conversation: ConversationId, first: int, last: int) -> Mapping[int, str]:
    """Read level 2 of some segments, by the rules."""
    rows = connection.execute(
        select(_level.c.idx, _level.c.body).where(
            _level.c.conversation == conversation, _level.c.height == 0, _level.c.level == 2, _level.c.refined == 0,
            _level.c.idx.between(first, last),
        )
    )  # fmt: skip
    return {row.idx: row.body for row in rows}


def read_remains(connection: Connection, conversation: ConversationId, height: int, idx: int) -> Remains | None:
    """Read the rules' record of a node; None while any of its turns still has its text."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    found = _nodes(connection, conversation, height, idx, idx)
    if row is None or not found:
        return None
    (source,) = found
    inside = (
        _turn.c.conversation == conversation, _turn.c.seq.between(source.node.first_seq, source.node.last_seq),
    )  # fmt: skip
    whole = connection.scalar(
        select(func.count()).select_from(_turn).where(*inside, _turn.c.state == int(TurnState.STORED))
    )
    levels = {
        row.level: row.body
        for row in connection.execute(
            select(_level.c.level, _level.c.body).where(
                _level.c.conversation == conversation, _level.c.height == height, _level.c.idx == idx,
                _level.c.refined == 0,
            )
        )
    }  # fmt: skip
    if whole:
        return None
    turns = connection.execute(select(*turn_columns(capped=False)).where(*inside).order_by(_turn.c.seq).limit(200))
    kept = Kept(
        node=source.node, levels=levels, facts=source.facts, turns=[turn_record(turn) for turn in turns],
        anchors=_rules_anchors(
            connection, conversation, _anchor.c.seq.between(source.node.first_seq, source.node.last_seq), most=100
        )[::-1],
    )  # fmt: skip
    return Remains(
        owner=Owner(conversation, row.tenant), kept=kept, source_hash=source.source_hash,
        edit_revision=row.edit_revision,
    )  # fmt: skip
