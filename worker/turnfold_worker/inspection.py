"""What a person wants to see: the tree of a conversation, and how much work there is in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, func, select

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS, Address
from turnfold.contract.records import FAN_OUT, Anchor, Node
from turnfold.contract.results import Head
from turnfold.contract.tables import (
    AnchorRow,
    ConversationRow,
    JobRow,
    NodeRow,
    ParkedEntryRow,
    TurnRow,
    table,
)
from turnfold.database.failures import translated as sql_translated
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.reader import Reader
from turnfold.errors import UnknownConversation
from turnfold.inbox import ProducerInbox
from turnfold.inbox import translated as redis_translated
from turnfold.shortening import TURNS_A_READ
from turnfold.snapshots import readable_head
from turnfold_worker import trees
from turnfold_worker.adapters.sql_erasures import standing
from turnfold_worker.provenance import UNKNOWN, Provenance, Sources, sources

if TYPE_CHECKING:
    import redis


NodeFacts = Mapping[tuple[int, int], Mapping[str, Sequence[str]]]
"""Facts of nodes by height and index."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A node with everything under it."""

    node: Node
    levels: Mapping[int, str]
    """Texts of levels 1 to 3."""
    anchors: tuple[Anchor, ...]
    """Anchors of a segment; a chapter's are its segments'."""
    facts: Mapping[str, Sequence[str]]
    """Entities and relations by kind, heaviest first; kinds without any are left out."""
    provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """Of each level."""
    anchor_provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """By the anchors' ids."""
    children: tuple[Branch, ...] = ()
    expansions: int = 0
    """How often a segment was expanded, as far as is remembered."""

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
    looked_up: LookedUp

    @property
    def open_turns(self) -> int:
        """Turns that are stored and not yet in a segment."""
        return self.head.turn_count - self.head.closed_seq

    def tokens(self, level: int) -> int:
        """Estimated tokens of all segments at a level."""
        return sum(part.node.tokens[level] for root in self.branches for part in root.walk() if part.node.height == 0)


def inspect_conversation(reader: Reader, address: Address) -> Inspection:
    """Everything about a conversation in one snapshot. Raises `UnknownConversation` when nothing is stored."""

    def look(transaction: ReadTransaction) -> Inspection | None:
        head = transaction.head(address)
        if head is None:
            return None
        anchors = transaction.anchors(head)
        looked_up, expanded = trees.expansions(transaction, head)
        return Inspection(
            conversation_id=address.conversation, head=head, anchors=anchors, looked_up=LookedUp(*looked_up),
            branches=branches(
                trees.tree(transaction, address), anchors, trees.facts(transaction, head), expanded,
                sources=sources(transaction.connection, head.id),
            ),
        )  # fmt: skip

    found = reader.read(look)
    if found is None:
        msg = f"conversation {address.conversation!r} of tenant {address.tenant!r} is not stored"
        raise UnknownConversation(msg)
    return found


def branches(
    nodes: Sequence[tuple[Node, Mapping[int, str]]],
    anchors: Sequence[Anchor],
    facts: NodeFacts,
    expanded: Mapping[int, int],
    *,
    sources: Sources = UNKNOWN,
) -> tuple[Branch, ...]:
    """Nodes put under their chapters: the parent of (h, i) is (h + 1, i / 8). `expanded` are counts by segment."""
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
            facts={kind: texts for kind, texts in facts.get((height, idx), {}).items() if texts},
            provenance=sources.levels.get((height, idx), {}),
            anchor_provenance={one.id: sources.anchors[one.id] for one in mine if one.id in sources.anchors},
            children=tuple(branch(*key) for key in below if key in at),
            expansions=0 if height else expanded.get(idx, 0),
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
    looked_up: LookedUp
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
            looked_up=LookedUp(
                *(
                    int(total or 0)
                    for total in connection.execute(
                        select(
                            func.sum(conversation.c.expansions_asked), func.sum(conversation.c.expansions_found)
                        ).where(conversation.c.tenant == tenant, standing())
                    ).one()
                )
            ),
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


def known_conversations(client: redis.Redis, engine: Engine, tenant: str) -> list[str]:
    """Every conversation of a tenant, stored or waiting. Raises `Unavailable` or `SchemaMismatch`."""
    conversation = table(ConversationRow)
    with redis_translated("listing what waits in the inboxes"):
        encoded = keys.encode_id(tenant)
        waiting = {
            keys.decode_id(name)
            for shard in range(SHARDS)
            for name in _texts(client.zrange(keys.ready_prefix(shard) + encoded, 0, -1))
        }
    with sql_translated(), engine.begin() as connection:
        mine = select(conversation.c.external_id).where(conversation.c.tenant == tenant, standing())
        return sorted(waiting.union(connection.scalars(mine)))


MOST_INBOXES: Final = 1_000
"""Inboxes of a shard that are looked at, those that wait for the longest time; further ones count as their average."""

# KEYS inbox      Returns {entries in it, id of the first}: its content, which may be long, stays where it is.
_SIZE_AND_FIRST: Final = """
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return {redis.call('XLEN', KEYS[1]), first and first[1] or ''}
"""


def stored_among(client: redis.Redis, reader: Reader, address: Address, turn_ids: Sequence[str]) -> int:
    """How many of these turns are in SQL, so that appending them changes nothing. Those that wait are not counted."""
    pending = ProducerInbox(client).peek(address, newest=0)

    def look(transaction: ReadTransaction) -> int:
        head = readable_head(transaction, address, pending)
        if head is None:
            return 0
        blocks = [turn_ids[start : start + TURNS_A_READ] for start in range(0, len(turn_ids), TURNS_A_READ)]
        return sum(len(transaction.stored_seqs(head, block)) for block in blocks)

    return reader.read(look)


def waiting_totals(client: redis.Redis, *, most_inboxes: int = MOST_INBOXES) -> list[ShardTotals]:
    """Shards that hold anything, exactly up to `most_inboxes` waiting conversations of each. Raises `Unavailable`."""
    with redis_translated("counting what waits in the inboxes"):
        seconds, microseconds = client.time()
        now = seconds + microseconds / 1_000_000
        found = [_shard_totals(client, shard, now, most_inboxes) for shard in range(SHARDS)]
    return [totals for totals in found if totals.conversations or totals.forgotten]


def _shard_totals(client: redis.Redis, shard: int, now: float, most: int) -> ShardTotals:
    tenants = _texts(client.zrange(keys.tenants(shard), 0, -1))
    pipeline = client.pipeline(transaction=False)
    for tenant in tenants:
        pipeline.zcard(keys.ready_prefix(shard) + tenant)
        pipeline.zrange(keys.ready_prefix(shard) + tenant, 0, most - 1, withscores=True)
    ready = pipeline.execute() if tenants else []
    waiting = sorted(
        (score, f"{tenant}:{conversation.decode()}")
        for tenant, members in zip(tenants, ready[1::2], strict=True)
        for conversation, score in members
    )[:most]
    look = client.register_script(_SIZE_AND_FIRST)
    for _, member in waiting:
        look([Address.from_member(member).inbox], client=pipeline)
    answers = [(size, first) for size, first in pipeline.execute() if size] if waiting else []
    seen, further = len(answers), sum(ready[::2]) - len(waiting)
    entries = sum(size for size, _ in answers)
    oldest = min((_stream_seconds(first) for _, first in answers), default=now)
    return ShardTotals(
        shard=shard,
        conversations=seen + further,
        entries=entries + (round(entries / seen * further) if seen else further),
        oldest_seconds=max(0.0, round(now - oldest, 3)),
        forgotten=client.zcard(keys.forgotten(shard)),
    )


def _texts(members: Any) -> list[str]:
    return [member.decode() if isinstance(member, bytes) else str(member) for member in members]


def _stream_seconds(stream_id: bytes | str) -> float:
    text = stream_id.decode() if isinstance(stream_id, bytes) else stream_id
    return int(text.split("-")[0]) / 1000
