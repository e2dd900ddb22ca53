"""How much there is in all: rows of a tenant, and what waits in the inboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import Engine, func, select

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS, Address
from turnfold.contract.tables import (
    AnchorRow,
    ConversationRow,
    JobRow,
    NodeRow,
    ParkedEntryRow,
    TurnRow,
    standing,
    table,
)
from turnfold.database.failures import translated as sql_translated
from turnfold.redis.inbox import translated as redis_translated
from turnfold_worker.operate.conversation_tree import LookedUp

if TYPE_CHECKING:
    import redis

MOST_INBOXES: Final = 1_000
"""Inboxes of a shard that are looked at, those that wait for the longest time; further ones count as their average."""

# KEYS inbox      Returns {entries in it, id of the first}: its content, which may be long, stays where it is.
_SIZE_AND_FIRST: Final = """
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return {redis.call('XLEN', KEYS[1]), first and first[1] or ''}
"""


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


def waiting_totals(client: redis.Redis, *, most_inboxes: int = MOST_INBOXES) -> list[ShardTotals]:
    """Shards that hold anything, exactly up to `most_inboxes` waiting conversations of each. Raises `Unavailable`."""
    with redis_translated("counting what waits in the inboxes"):
        seconds, microseconds = client.time()
        now = seconds + microseconds / 1_000_000
        found = [_shard_totals(client, shard, now, most_inboxes) for shard in range(SHARDS)]
    return [totals for totals in found if totals.conversations or totals.forgotten]


def _shard_totals(client: redis.Redis, shard: int, now: float, most: int) -> ShardTotals:
    tenants = [tenant.decode() for tenant in cast("list[bytes]", client.zrange(keys.tenants(shard), 0, -1))]
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


def _stream_seconds(stream_id: bytes) -> float:
    return int(stream_id.split(b"-")[0]) / 1000
