"""What a person wants to see: the tree of a conversation, and how much work there is in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, and_, func, select

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS, Address
from turnfold.contract.records import FAN_OUT, Anchor, Head, Method, Node
from turnfold.contract.tables import (
    AnchorRow,
    ConversationRow,
    JobRow,
    LevelRow,
    NodeRow,
    ParkedEntryRow,
    TurnRow,
    table,
)
from turnfold.errors import UnknownConversation
from turnfold.inbox import translated as redis_translated
from turnfold.reader import Reader, ReadTransaction
from turnfold.reader import translated as sql_translated
from turnfold_worker.adapters.sql_erasures import standing

if TYPE_CHECKING:
    import redis


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where words come from."""

    method: str
    """plain | rules | model"""
    model: str | None = None
    prompt_version: str | None = None
    source_hash: str | None = None
    """16 bytes in hexadecimal over the turns that they were made from; of an anchor the turn itself says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A node with everything under it."""

    node: Node
    levels: Mapping[int, str]
    """Texts of levels 1 to 3."""
    anchors: tuple[Anchor, ...]
    """Anchors of a segment; a chapter's are its segments'."""
    provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """Of each level."""
    anchor_provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """By the anchors' ids."""
    children: tuple[Branch, ...] = ()

    def walk(self) -> Iterator[Branch]:
        """This branch, then every one under it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A conversation as SQL holds it."""

    conversation_id: str
    head: Head
    branches: tuple[Branch, ...]
    """Nodes that no chapter holds yet, in the order of their turns."""
    anchors: tuple[Anchor, ...]
    """All, in the order in which they were found."""

    @property
    def open_turns(self) -> int:
        """Turns that are stored and not yet in a segment."""
        return self.head.turn_count - self.head.closed_seq

    def tokens(self, level: int) -> int:
        """Estimated tokens of all segments at a level."""
        return sum(part.node.tokens[level] for root in self.branches for part in root.walk() if part.node.height == 0)


_OfLevels = dict[tuple[int, int], dict[int, Provenance]]
_OfAnchors = dict[int, Provenance]
_Found = tuple[Head, list[tuple[Node, dict[int, str]]], tuple[Anchor, ...], tuple[_OfLevels, _OfAnchors]]


def inspect_conversation(reader: Reader, address: Address) -> Inspection:
    """Everything about a conversation in one snapshot. Raises `UnknownConversation` when nothing is stored."""

    def look(transaction: ReadTransaction) -> _Found | None:
        head = transaction.head(address)
        if head is None:
            return None
        return head, transaction.tree(address), transaction.anchors(head), _provenance(transaction.connection, head)

    found = reader.read(look)
    if found is None:
        msg = f"conversation {address.conversation!r} of tenant {address.tenant!r} is not stored"
        raise UnknownConversation(msg)
    head, nodes, anchors, (of_levels, of_anchors) = found
    return Inspection(
        conversation_id=address.conversation, head=head, branches=branches(nodes, anchors, of_levels, of_anchors),
        anchors=anchors,
    )  # fmt: skip


def _provenance(connection: Connection, head: Head) -> tuple[_OfLevels, _OfAnchors]:
    """Of each shown level by node, and of each anchor."""
    nodes, levels, anchors = table(NodeRow), table(LevelRow), table(AnchorRow)
    of_levels: _OfLevels = {}
    rows = connection.execute(
        select(levels.c.height, levels.c.idx, levels.c.level, levels.c.refined, levels.c.model,
               levels.c.prompt_version, nodes.c.method, nodes.c.source_hash)
        .join(nodes, and_(nodes.c.conversation == levels.c.conversation, nodes.c.height == levels.c.height,
                          nodes.c.idx == levels.c.idx))
        .where(levels.c.conversation == head.id)
        .order_by(levels.c.refined)
    )  # fmt: skip
    for row in rows:
        method = "model" if row.refined else Method(row.method).name.lower()
        of_levels.setdefault((row.height, row.idx), {})[row.level] = Provenance(
            method=method, model=row.model, prompt_version=row.prompt_version, source_hash=bytes(row.source_hash).hex()
        )
    found = connection.execute(
        select(anchors.c.id, anchors.c.model, anchors.c.prompt_version).where(anchors.c.conversation == head.id)
    )
    of_anchors = {
        row.id: Provenance(
            method="model" if row.id < 0 else "rules", model=row.model, prompt_version=row.prompt_version
        )
        for row in found
    }
    return of_levels, of_anchors


def branches(
    nodes: Sequence[tuple[Node, Mapping[int, str]]],
    anchors: Sequence[Anchor],
    of_levels: _OfLevels | None = None,
    of_anchors: _OfAnchors | None = None,
) -> tuple[Branch, ...]:
    """Nodes put under their chapters: the parent of (h, i) is (h + 1, i / 8)."""
    at = {(node.height, node.idx): (node, levels) for node, levels in nodes}
    anchors_of: dict[int, list[Anchor]] = {}
    for anchor in anchors:
        anchors_of.setdefault(anchor.node_idx, []).append(anchor)

    def branch(height: int, idx: int) -> Branch:
        node, levels = at[height, idx]
        mine = () if height else tuple(anchors_of.get(idx, ()))
        below = [(height - 1, FAN_OUT * idx + child) for child in range(FAN_OUT)] if height else []
        return Branch(
            node=node,
            levels=levels,
            anchors=mine,
            provenance=(of_levels or {}).get((height, idx), {}),
            anchor_provenance={one.id: of_anchors[one.id] for one in mine if of_anchors and one.id in of_anchors},
            children=tuple(branch(*key) for key in below if key in at),
        )

    roots = [key for key in at if (key[0] + 1, key[1] // FAN_OUT) not in at]
    return tuple(sorted((branch(*key) for key in roots), key=lambda root: root.node.first_seq))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTotals:
    """What the database holds of a tenant."""

    conversations: int
    turns: int
    segments: int
    chapters: int
    anchors: int
    parked_entries: int
    jobs: Mapping[str, Mapping[str, int]]
    """Kind of job -> state -> how many; jobs that are done or skipped are left out."""


def stored_totals(engine: Engine, tenant: str) -> StoredTotals:
    """Count a tenant's rows. Raises `Unavailable` or `SchemaMismatch`."""
    conversation, nodes, jobs = table(ConversationRow), table(NodeRow), table(JobRow)
    with sql_translated(), engine.begin() as connection:

        def count(rows: Any, *conditions: Any) -> int:
            owned = select(func.count()).select_from(rows.join(conversation, conversation.c.id == rows.c.conversation))
            return connection.scalar(owned.where(conversation.c.tenant == tenant, standing(), *conditions)) or 0

        by_kind: dict[str, dict[str, int]] = {}
        for kind, state, number in connection.execute(
            select(jobs.c.kind, jobs.c.state, func.count())
            .where(jobs.c.tenant == tenant, jobs.c.state.not_in(("done", "skipped")))
            .group_by(jobs.c.kind, jobs.c.state)
            .order_by(jobs.c.kind, jobs.c.state)
        ):
            by_kind.setdefault(kind, {})[state] = number
        return StoredTotals(
            conversations=connection.scalar(
                select(func.count()).select_from(conversation).where(conversation.c.tenant == tenant, standing())
            )
            or 0,
            turns=count(table(TurnRow)),
            segments=count(nodes, nodes.c.height == 0),
            chapters=count(nodes, nodes.c.height > 0),
            anchors=count(table(AnchorRow), table(AnchorRow).c.state == 0),
            parked_entries=count(table(ParkedEntryRow), table(ParkedEntryRow).c.state == "parked"),
            jobs=by_kind,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTotals:
    """What waits in a shard of the inbox, of all tenants."""

    shard: int
    conversations: int
    """Conversations with entries that no worker has stored yet."""
    entries: int
    oldest_seconds: float
    """Age of the oldest entry."""
    forgotten: int
    """Forgotten conversations whose rows are still to be deleted."""


def waiting_totals(client: redis.Redis) -> list[ShardTotals]:
    """Shards that hold anything. Looks at every waiting conversation. Raises `Unavailable`."""
    with redis_translated("counting what waits in the inboxes"):
        seconds, microseconds = client.time()
        now = seconds + microseconds / 1_000_000
        found = [_shard_totals(client, shard, now) for shard in range(SHARDS)]
    return [totals for totals in found if totals.conversations or totals.forgotten]


def _shard_totals(client: redis.Redis, shard: int, now: float) -> ShardTotals:
    inboxes = [
        Address.from_member(f"{tenant}:{conversation}").inbox
        for tenant in _texts(client.zrange(keys.tenants(shard), 0, -1))
        for conversation in _texts(client.zrange(keys.ready_prefix(shard) + tenant, 0, -1))
    ]
    pipeline = client.pipeline(transaction=False)
    for inbox in inboxes:
        pipeline.xlen(inbox)
        pipeline.xrange(inbox, count=1)
    answers = pipeline.execute() if inboxes else []
    firsts = [entries[0][0] for entries in answers[1::2] if entries]
    oldest = min((_stream_seconds(first) for first in firsts), default=now)
    return ShardTotals(
        shard=shard,
        conversations=len(firsts),
        entries=sum(answers[::2]),
        oldest_seconds=max(0.0, round(now - oldest, 3)),
        forgotten=client.zcard(keys.forgotten(shard)),
    )


def _texts(members: Any) -> list[str]:
    return [member.decode() if isinstance(member, bytes) else str(member) for member in members]


def _stream_seconds(stream_id: bytes | str) -> float:
    text = stream_id.decode() if isinstance(stream_id, bytes) else stream_id
    return int(text.split("-")[0]) / 1000
