"""Read a conversation segment by segment, for people to inspect; the request path never uses this module."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import ColumnElement, Table, and_, or_, select

from turnfold.contract.keys import Address
from turnfold.contract.records import FAN_OUT, MAX_HEIGHT, Node
from turnfold.contract.results import Head
from turnfold.contract.tables import AccessRow, ConversationRow, LevelRow, NodeRow, table
from turnfold.contract.wanted_anchors import LAST_TURN
from turnfold.database.note_read import SEGMENT_OF
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Number of marker expansions that workers have counted."""

    asked: int
    found: int
    """Expansions that returned text; unknown markers are not counted."""

    @property
    def hit_rate(self) -> float | None:
        """Share of requested expansions that returned text, 0 to 1; None before the first request."""
        return self.found / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class SegmentAccess:
    """Recorded expansions of one segment."""

    expansions: int = 0
    expanded_at: datetime | None = None
    """When an expansion was last counted, by the database's clock."""


NOT_EXPANDED: Final = SegmentAccess()


@dataclass(frozen=True, slots=True)
class SegmentRange:
    """A range of consecutive segment numbers, both ends included; empty when `last` is less than `first`."""

    first: int
    last: int

    def nodes(self, rows: Table) -> ColumnElement[bool]:
        """Return the clause that selects these segments and the chapters over them, by height and index."""
        return or_(
            *(
                and_(rows.c.height == height, rows.c.idx.between(self.first // step, self.last // step))
                for height, step in ((height, FAN_OUT**height) for height in range(MAX_HEIGHT + 1))
            )
        )


EVERY_SEGMENT: Final = SegmentRange(0, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """A page of a conversation's segments with the range of turns in them."""

    segments: SegmentRange
    first_turn: int
    last_turn: int
    next_turn: int | None
    """First turn of the next page; None when only the open tail follows."""


def page_from(look: ReadTransaction, head: Head, first_turn: int, *, most: int) -> SegmentPage:
    """Return a page of at most `most` segments, starting with the one that contains `first_turn`."""
    nodes, first_segment = table(NodeRow), _first_segment(look, head, first_turn)
    rows = look.connection.execute(
        select(nodes.c.idx, nodes.c.first_seq, nodes.c.last_seq)
        .where(nodes.c.conversation == head.id, nodes.c.height == 0, nodes.c.idx >= first_segment)
        .order_by(nodes.c.idx)
        .limit(most)
    ).all()
    if not rows:
        return SegmentPage(SegmentRange(0, -1), first_turn, LAST_TURN, None)
    first, last = rows[0], rows[-1]
    if last.idx + 1 >= head.node_count:
        return SegmentPage(SegmentRange(first.idx, last.idx), first.first_seq, LAST_TURN, None)
    return SegmentPage(SegmentRange(first.idx, last.idx), first.first_seq, last.last_seq, last.last_seq + 1)


def _first_segment(look: ReadTransaction, head: Head, first_turn: int) -> int:
    """Return the index of the segment that contains a turn, or the next free index if none contains it yet."""
    if first_turn > head.closed_seq:
        return head.node_count
    return look.connection.scalar(SEGMENT_OF, {"conversation": head.id, "seq": first_turn}) or 0


def tree(
    look: ReadTransaction, address: Address, segments: SegmentRange = EVERY_SEGMENT
) -> list[tuple[Node, dict[int, str]]]:
    """Return nodes with the text of each level by height and index: a range of segments and the chapters over them.

    Empty when nothing is stored.
    """
    head = look.head(address)
    if head is None:
        return []
    nodes, levels = table(NodeRow), table(LevelRow)
    words: dict[tuple[int, int], dict[int, str]] = {}
    for row in look.connection.execute(
        select(levels.c.height, levels.c.idx, levels.c.level, levels.c.body)
        .where(levels.c.conversation == head.id, levels.c.level > 0, segments.nodes(levels))
        .order_by(levels.c.refined)
    ):
        words.setdefault((row.height, row.idx), {})[row.level] = row.body
    rows = look.connection.execute(
        select(*NODE_COLUMNS)
        .where(nodes.c.conversation == head.id, segments.nodes(nodes))
        .order_by(nodes.c.height, nodes.c.idx)
    )
    return [(node_record(row), words.get((row.height, row.idx), {})) for row in rows]


def facts(
    look: ReadTransaction, head: Head, segments: SegmentRange = EVERY_SEGMENT
) -> dict[tuple[int, int], dict[str, list[str]]]:
    """Return entities and relations by (height, index) of the node: for each kind, the heaviest first."""
    nodes = table(NodeRow)
    rows = look.connection.execute(
        select(nodes.c.height, nodes.c.idx, nodes.c.facts).where(nodes.c.conversation == head.id, segments.nodes(nodes))
    )
    return {(row.height, row.idx): row.facts for row in rows}


def expansions(
    look: ReadTransaction, head: Head, segments: SegmentRange = EVERY_SEGMENT
) -> tuple[LookedUp, dict[int, SegmentAccess]]:
    """Return the conversation's expansion totals, and the accesses of a range of segments by index."""
    conversation, access = table(ConversationRow), table(AccessRow)
    asked, found = look.connection.execute(
        select(conversation.c.expansions_asked, conversation.c.expansions_found).where(conversation.c.id == head.id)
    ).one()
    rows = look.connection.execute(
        select(access.c.idx, access.c.expansions, access.c.expanded_at).where(
            access.c.conversation == head.id, access.c.idx.between(segments.first, segments.last)
        )
    )
    return LookedUp(asked, found), {
        row.idx: SegmentAccess(row.expansions, datetime.fromtimestamp(row.expanded_at / 1000, UTC)) for row in rows
    }
