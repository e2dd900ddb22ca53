"""Provenance of each level and anchor: written by rules, or by a model with a version of a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, and_, select

from turnfold.contract.records import ConversationId, Method
from turnfold.contract.tables import AnchorRow, LevelRow, NodeRow, table
from turnfold_worker.operate.conversation_tree import SegmentPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a text comes from."""

    method: str
    """plain | rules | model"""
    model: str | None = None
    prompt_version: str | None = None
    source_hash: str | None = None
    """16 bytes in hexadecimal over the source turns; None for an anchor, which names its turn."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Provenance of one conversation's levels and anchors."""

    levels: Mapping[tuple[int, int], Mapping[int, Provenance]]
    """Keyed by (height, idx), then by level."""
    anchors: Mapping[int, Provenance]
    """Keyed by anchor id."""


def sources(connection: Connection, conversation: ConversationId, page: SegmentPage) -> Sources:
    """Return the provenance of each level and each anchor on a page of segments."""
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
