"""The conversations of a tenant in the order of their names: those that are stored page by page, or all there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, cast

from sqlalchemy import Engine, select

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS, Address
from turnfold.contract.tables import ConversationRow, table
from turnfold.database.failures import translated as sql_translated
from turnfold.inbox import translated as redis_translated
from turnfold_worker.adapters.sql_erasures import standing

if TYPE_CHECKING:
    import redis


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A conversation as SQL has it."""

    conversation_id: str
    turns: int
    """Stored turns; those that wait in the inbox are not counted."""
    folded: int
    """The last turn that a fold has looked at."""
    anchors: int
    """Active ones of the rules."""
    changed_at: datetime
    """When a worker wrote to it last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some conversations of a tenant."""

    conversations: tuple[Listed, ...]
    following: str | None
    """The name behind which the next page begins; None on the last one."""


def stored_conversations(client: redis.Redis, engine: Engine, tenant: str, *, after: str, most: int) -> Page:
    """The first `most` conversations behind a name, without those that were forgotten.

    The page is read by the key of tenant and name, so it costs the same in any table. Raises `Unavailable` or
    `SchemaMismatch`.
    """
    row = table(ConversationRow).c
    with sql_translated(), engine.begin() as connection:
        found = connection.execute(
            select(row.external_id, row.turn_count, row.fold_seq, row.anchor_count, row.updated_at)
            .where(row.tenant == tenant, row.external_id > after, standing())
            .order_by(row.external_id)
            .limit(most + 1)
        ).all()
    shown = found[:most]
    # A worker hides the rows of one that was forgotten; until then Redis alone knows.
    gone = _forgotten(client, [Address(tenant, one.external_id) for one in shown])
    return Page(
        conversations=tuple(
            Listed(
                conversation_id=one.external_id, turns=one.turn_count, folded=one.fold_seq, anchors=one.anchor_count,
                changed_at=one.updated_at,
            )
            for one in shown
            if one.external_id not in gone
        ),
        following=shown[-1].external_id if len(found) > most else None,
    )  # fmt: skip


def known_conversations(client: redis.Redis, engine: Engine, tenant: str) -> list[str]:
    """Every conversation of a tenant, stored or waiting. Raises `Unavailable` or `SchemaMismatch`."""
    conversation = table(ConversationRow)
    with redis_translated("listing what waits in the inboxes"):
        encoded = keys.encode_id(tenant)
        waiting = {
            keys.decode_id(name.decode())
            for shard in range(SHARDS)
            for name in cast("list[bytes]", client.zrange(keys.ready_prefix(shard) + encoded, 0, -1))
        }
    with sql_translated(), engine.begin() as connection:
        mine = select(conversation.c.external_id).where(conversation.c.tenant == tenant, standing())
        return sorted(waiting.union(connection.scalars(mine)))


def _forgotten(client: redis.Redis, addresses: list[Address]) -> set[str]:
    pipeline = client.pipeline(transaction=False)
    for address in addresses:
        pipeline.zscore(keys.forgotten(address.shard), address.member)
    with redis_translated("asking which conversations were forgotten"):
        since = pipeline.execute()
    return {address.conversation for address, when in zip(addresses, since, strict=True) if when is not None}
