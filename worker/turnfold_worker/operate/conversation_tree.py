"""Looks at a whole conversation, for people: reads of the request path never need one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import select

from turnfold.contract.keys import Address
from turnfold.contract.records import Node
from turnfold.contract.results import Head
from turnfold.contract.tables import AccessRow, ConversationRow, LevelRow, NodeRow, table
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Expansions that workers have counted."""

    asked: int
    found: int
    """Those that led to words: not those of markers that stand for nothing."""

    @property
    def hit_rate(self) -> float | None:
        """Share of those that were asked for, 0 to 1; None before the first."""
        return self.found / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class SegmentAccess:
    """Expansions of one segment, as far as they are remembered."""

    expansions: int = 0
    expanded_at: datetime | None = None
    """When the last ones were counted, by the database's clock."""


NOT_EXPANDED: Final = SegmentAccess()


def tree(look: ReadTransaction, address: Address) -> list[tuple[Node, dict[int, str]]]:
    """Every node of a conversation with its words, by height and index; empty when nothing is stored."""
    head = look.head(address)
    if head is None:
        return []
    nodes, levels = table(NodeRow), table(LevelRow)
    words: dict[tuple[int, int], dict[int, str]] = {}
    for row in look.connection.execute(
        select(levels.c.height, levels.c.idx, levels.c.level, levels.c.body)
        .where(levels.c.conversation == head.id, levels.c.level > 0)
        .order_by(levels.c.refined)
    ):
        words.setdefault((row.height, row.idx), {})[row.level] = row.body
    rows = look.connection.execute(
        select(*NODE_COLUMNS).where(nodes.c.conversation == head.id).order_by(nodes.c.height, nodes.c.idx)
    )
    return [(node_record(row), words.get((row.height, row.idx), {})) for row in rows]


def facts(look: ReadTransaction, head: Head) -> dict[tuple[int, int], dict[str, list[str]]]:
    """Entities and relations of every node by height and index: per kind the heaviest texts first."""
    nodes = table(NodeRow)
    rows = look.connection.execute(
        select(nodes.c.height, nodes.c.idx, nodes.c.facts).where(nodes.c.conversation == head.id)
    )
    return {(row.height, row.idx): row.facts for row in rows}


def expansions(look: ReadTransaction, head: Head) -> tuple[LookedUp, dict[int, SegmentAccess]]:
    """How many expansions were asked for and led to words, and those of each segment."""
    conversation, access = table(ConversationRow), table(AccessRow)
    asked, found = look.connection.execute(
        select(conversation.c.expansions_asked, conversation.c.expansions_found).where(conversation.c.id == head.id)
    ).one()
    rows = look.connection.execute(
        select(access.c.idx, access.c.expansions, access.c.expanded_at).where(access.c.conversation == head.id)
    )
    return LookedUp(asked, found), {
        row.idx: SegmentAccess(row.expansions, datetime.fromtimestamp(row.expanded_at / 1000, UTC)) for row in rows
    }
