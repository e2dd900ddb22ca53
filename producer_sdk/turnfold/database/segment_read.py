"""Reads of segments apart from contexts: text, facts, relations and expansions."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, and_, func, or_, select

from turnfold.contract.records import FAN_OUT, Method
from turnfold.contract.results import Head, Relation, SegmentSigns
from turnfold.contract.segments import Segment
from turnfold.contract.tables import AccessRow, LevelRow, NodeRow, table
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS

SEGMENTS_WEIGHED: Final = 256
"""Newest segments whose importance is computed; of older ones, only those that were expanded."""

_RELATIONS: Final = "relations"
"""Key of the relations in a node's facts."""

_node = table(NodeRow)
_access = table(AccessRow)
_level = table(LevelRow)


def segment_signs(connection: Connection, head: Head) -> tuple[SegmentSigns, ...]:
    """Return the segments whose importance is computed, in order: a bounded number for any length of conversation."""
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


def segments_after(connection: Connection, head: Head, after: int, *, most: int, words: bool) -> list[Segment]:
    """Return a page of segments after a number, in order; `words` adds their levels and facts."""
    rows = connection.execute(
        select(*NODE_COLUMNS, _node.c.method, *([_node.c.facts] if words else []),
               func.coalesce(_access.c.expansions, 0).label("expansions"))
        .outerjoin(_access, and_(_access.c.conversation == _node.c.conversation, _access.c.idx == _node.c.idx))
        .where(_node.c.conversation == head.id, _node.c.height == 0, _node.c.idx >= after)
        .order_by(_node.c.idx)
        .limit(most)
    ).all()  # fmt: skip
    texts = _words(connection, head, rows[0].idx, rows[-1].idx) if words and rows else {}
    return [
        Segment(
            node=node_record(row), method="plain" if row.method == Method.PLAIN else "rules",
            expansions=row.expansions, words=texts.get((row.idx, 0), {}), model_words=texts.get((row.idx, 1), {}),
            facts={kind: tuple(stated) for kind, stated in row.facts.items() if stated} if words else {},
        )
        for row in rows
    ]  # fmt: skip


def _words(connection: Connection, head: Head, first: int, last: int) -> dict[tuple[int, int], dict[int, str]]:
    """Read texts of levels 1 to 3 of a range of segments, by (segment, 1 if a model's) and level."""
    rows = connection.execute(
        select(_level.c.idx, _level.c.refined, _level.c.level, _level.c.body).where(
            _level.c.conversation == head.id, _level.c.height == 0, _level.c.idx.between(first, last),
            _level.c.level > 0,
        )
    )  # fmt: skip
    texts: dict[tuple[int, int], dict[int, str]] = {}
    for row in rows:
        texts.setdefault((row.idx, row.refined), {})[row.level] = row.body
    return texts


def segment_relations(connection: Connection, head: Head) -> list[Relation]:
    """Return the relations of all segments, in order."""
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
    """Return the relations of the nodes without a parent: a few dozen per height for any length of conversation."""
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
