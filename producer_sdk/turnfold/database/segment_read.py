"""What segments keep beside their words: facts and relations, and how often they are looked up."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, and_, or_, select

from turnfold.contract.records import FAN_OUT
from turnfold.contract.results import Head, Relation, SegmentSigns
from turnfold.contract.tables import AccessRow, NodeRow, table
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS

SEGMENTS_WEIGHED: Final = 256
"""The newest segments of a conversation; of older ones those that are looked up."""

_RELATIONS: Final = "relations"
"""Their key in a node's facts."""

_node = table(NodeRow)
_access = table(AccessRow)


def segment_signs(connection: Connection, head: Head) -> tuple[SegmentSigns, ...]:
    """The segments whose importance is asked for, in order: as many however long the conversation is."""
    weights = {
        row.idx: row.weight
        for row in connection.execute(select(_access.c.idx, _access.c.weight).where(_access.c.conversation == head.id))
    }
    rows = connection.execute(
        select(*NODE_COLUMNS, _node.c.facts)
        .where(
            _node.c.conversation == head.id,
            _node.c.height == 0,
            or_(_node.c.idx >= head.node_count - SEGMENTS_WEIGHED, _node.c.idx.in_(sorted(weights))),
        )
        .order_by(_node.c.idx)
    )
    return tuple(SegmentSigns(node=node_record(row), facts=row.facts, weight=weights.get(row.idx, 0)) for row in rows)


def segment_relations(connection: Connection, head: Head) -> list[Relation]:
    """What all segments state, in order."""
    rows = connection.execute(
        select(*NODE_COLUMNS, _node.c.facts)
        .where(_node.c.conversation == head.id, _node.c.height == 0)
        .order_by(_node.c.idx)
    )
    return [
        Relation(text=text, first_seq=node.first_seq, last_seq=node.last_seq, marker=f"L1:{node.marker_name}")
        for row in rows
        for node in [node_record(row)]
        for text in row.facts.get(_RELATIONS, ())
    ]


def top_relations(connection: Connection, head: Head) -> list[str]:
    """What the nodes state that no chapter holds: a few dozen for each height, however long the conversation is."""
    tops, count, height = [], head.node_count, 0
    while count:
        first = count // FAN_OUT * FAN_OUT
        tops.append(and_(_node.c.height == height, _node.c.idx >= first))
        count, height = count // FAN_OUT, height + 1
    if not tops:
        return []
    rows = connection.execute(
        select(_node.c.facts).where(_node.c.conversation == head.id, or_(*tops)).order_by(_node.c.height, _node.c.idx)
    )
    return [text for row in rows for text in row.facts.get(_RELATIONS, ())]
