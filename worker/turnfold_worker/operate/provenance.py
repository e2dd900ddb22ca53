"""Who wrote each level and found each anchor: rules, or a model by a version of a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, and_, select

from turnfold.contract.records import ConversationId, Method
from turnfold.contract.tables import AnchorRow, LevelRow, NodeRow, table
from turnfold_worker.operate.conversation_tree import SegmentPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where words come from."""

    method: str
    """plain | rules | model"""
    model: str | None = None
    prompt_version: str | None = None
    source_hash: str | None = None
    """16 bytes in hexadecimal over the turns that they were made from; of an anchor the turn itself says it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Of one conversation."""

    levels: Mapping[tuple[int, int], Mapping[int, Provenance]]
    """By (height, idx), then by level."""
    anchors: Mapping[int, Provenance]
    """By id."""


def sources(connection: Connection, conversation: ConversationId, page: SegmentPage) -> Sources:
    """Where each shown level and each anchor of some segments comes from."""
    nodes, levels, anchors = table(NodeRow), table(LevelRow), table(AnchorRow)
    of_levels: dict[tuple[int, int], dict[int, Provenance]] = {}
    rows = connection.execute(
        select(levels.c.height, levels.c.idx, levels.c.level, levels.c.refined, levels.c.model,
               levels.c.prompt_version, nodes.c.method, nodes.c.source_hash)
        .join(nodes, and_(nodes.c.conversation == levels.c.conversation, nodes.c.height == levels.c.height,
                          nodes.c.idx == levels.c.idx))
        .where(levels.c.conversation == conversation, page.segments.nodes(levels))
        .order_by(levels.c.refined)
    )  # fmt: skip
    for row in rows:
        method = "model" if row.refined else Method(row.method).name.lower()
        of_levels.setdefault((row.height, row.idx), {})[row.level] = Provenance(
            method=method, model=row.model, prompt_version=row.prompt_version, source_hash=bytes(row.source_hash).hex()
        )
    found = connection.execute(
        select(anchors.c.id, anchors.c.model, anchors.c.prompt_version).where(
            anchors.c.conversation == conversation, anchors.c.seq.between(page.first_turn, page.last_turn)
        )
    )
    of_anchors = {
        row.id: Provenance(
            method="model" if row.id < 0 else "rules", model=row.model, prompt_version=row.prompt_version
        )
        for row in found
    }
    return Sources(of_levels, of_anchors)
