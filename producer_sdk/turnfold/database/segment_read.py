"""What the importance of segments is made of: one statement for their rows, one for how often they are looked up."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, or_, select

from turnfold.contract.results import Head, SegmentSigns
from turnfold.contract.tables import AccessRow, NodeRow, table
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS

SEGMENTS_WEIGHED: Final = 256
"""The newest segments of a conversation; of older ones those that are looked up."""

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
