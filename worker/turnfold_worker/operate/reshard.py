"""Change the number of shards of the inboxes, or their Redis servers, while clients and workers run.

There are five steps. Each is idempotent, so a command that was killed is simply run again:

1. `meta` records the target, a new generation of shards whose keys differ from all keys in use.
2. Every server records it: clients look in both places, workers store what waits in both.
3. Each shard in use is closed. Before, it receives the appends; afterwards its successor does. So a conversation is
   never appended to in both at once, and workers store the entries of the closed shard first.
4. Workers empty the closed shards.
5. `meta`, then every server, records the target as the layout in use. The closed shards' leftovers, which are hints
   and cached contexts, are removed; their marks stay, for clients that were asleep meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from turnfold.contract import keys
from turnfold.contract.shards import META_GENERATION, META_SERVERS, META_SHARDS, META_TARGET, MOST_SHARDS, Layout, tag
from turnfold.contract.tables import MetaRow, table
from turnfold.database.failures import translated as sql_translated
from turnfold.database.schema_check import meta_rows
from turnfold.errors import InvalidInput, InvalidSettings, Unavailable
from turnfold.redis.connections import translated
from turnfold_worker.operate.row_counts import waiting_totals

if TYPE_CHECKING:
    import redis
    from sqlalchemy import Connection, Engine

    from turnfold.redis.servers import InboxServers
    from turnfold_worker.ports.storage import Publisher

POLL_SECONDS: Final = 0.2
RING_SECONDS: Final = 1.0
"""Interval at which workers are asked to empty the closed shards."""
_SCANNED_AT_ONCE: Final = 1_000
_STANDS: Final = frozenset({"closed", "erased"})
"""Kinds of keys of a closed shard that are kept; receipts expire on their own."""
_HOLDS_WORK: Final = frozenset({"in", "ready"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReshardPlan:
    """A change from one layout to another."""

    layout: Layout
    target: Layout
    resumes: bool
    """Whether an earlier command began this change."""
    conversations: int
    """Conversations with an inbox that workers have to empty."""
    entries: int


def planned(engine: Engine, servers: InboxServers, *, shards: int | None, on_servers: int | None) -> ReshardPlan | None:
    """Return the work to do; None when the inboxes already have this layout and every server has recorded it.

    `on_servers` is how many servers of the list to use, counted from its start; None means all, or the number of a
    reshard under way. Changes nothing. Raises `InvalidInput`, `InvalidSettings`, `Unavailable`.
    """
    with sql_translated(), engine.connect() as connection:
        layout = stored = _stored(connection)
    said = servers.said(len(servers))
    ahead = max((one for one in said if one is not None), key=attrgetter("rank"), default=layout)
    if ahead.rank > layout.rank:
        # The database, which is written before Redis, is behind: it was restored from a backup.
        layout = ahead
    if layout.target is not None:
        _check_same(layout.target, shards, on_servers)
        target, resumes = layout.target, True
    else:
        wanted = Layout(layout.generation + 1, shards or layout.shards, on_servers or len(servers))
        _check_possible(wanted, servers)
        if (wanted.shards, wanted.servers) == (layout.shards, layout.servers):
            if stored == layout and {*said} <= {layout, None}:
                return None
            # A command was killed between writing the database and the servers.
            return ReshardPlan(layout=layout, target=layout, resumes=True, conversations=0, entries=0)
        target, resumes = wanted, False
    waiting = [totals for totals in waiting_totals(servers) if totals.shard in layout.own()]
    conversations, entries = sum(of.conversations for of in waiting), sum(of.entries for of in waiting)
    return ReshardPlan(
        layout=layout._replace(target=None), target=target, resumes=resumes,
        conversations=conversations, entries=entries,
    )  # fmt: skip


def reshard(
    plan: ReshardPlan, *, engine: Engine, servers: InboxServers, publisher: Publisher, most_seconds: float | None = None
) -> Iterator[int]:
    """Carry out a plan; yield how many conversations in the old shards are still to be stored or erased.

    Raises `Unavailable`, also after `most_seconds`: then run it again.
    """
    in_use = max(plan.layout.servers, plan.target.servers)
    if plan.target == plan.layout:
        _finish(engine, plan.layout)
        servers.publish(plan.layout, servers=len(servers))
        return
    under_way = plan.layout._replace(target=plan.target)
    if not _begun(engine, under_way):
        # Another command finished it.
        return
    servers.publish(under_way, servers=in_use)
    _copy_bounded(servers, under_way)
    _close(servers, plan.layout)
    yield from _emptied(servers, plan, publisher, most_seconds)
    _remove_rest(servers, plan.layout)
    _finish(engine, plan.target)
    servers.publish(plan.target, servers=in_use)


def _stored(connection: Connection) -> Layout:
    return Layout.from_meta(meta_rows(connection))


def _check_same(target: Layout, shards: int | None, on_servers: int | None) -> None:
    if shards in {None, target.shards} and on_servers in {None, target.servers}:
        return
    msg = f"a reshard to {target.shards} shards on {target.servers} servers is in progress"
    raise InvalidInput(msg, remedy="run `turnfold reshard` without options to finish it, then again with your options")


def _check_possible(wanted: Layout, servers: InboxServers) -> None:
    if not 1 <= wanted.shards <= MOST_SHARDS:
        msg = f"the number of shards must be 1 to {MOST_SHARDS}, not {wanted.shards}"
        raise InvalidInput(msg, remedy="256 are enough for most installations; use a few per worker process")
    if wanted.servers > len(servers):
        msg = f"TURNFOLD_REDIS_URL names {len(servers)} servers, but {wanted.servers} are requested"
        raise InvalidSettings(
            msg, remedy="first list all of them, new ones last, in the settings of every client and worker"
        )


def _begun(engine: Engine, under_way: Layout) -> bool:
    """Record the target unless it is recorded already; return False when the database is past it."""
    with sql_translated(), engine.begin() as connection:
        stored = _stored(connection)
        if stored.rank > under_way.rank:
            return False
        if stored.target not in {None, under_way.target}:
            msg = "another command started a different reshard"
            raise Unavailable(msg, remedy="run `turnfold reshard` without options to finish that one")
        _write(connection, under_way)
    return True


def _finish(engine: Engine, target: Layout) -> None:
    with sql_translated(), engine.begin() as connection:
        if _stored(connection).rank < target.rank:
            _write(connection, target)


def _write(connection: Connection, layout: Layout) -> None:
    meta = table(MetaRow)
    rows = {
        META_GENERATION: str(layout.generation), META_SHARDS: str(layout.shards), META_SERVERS: str(layout.servers),
    }  # fmt: skip
    if layout.target is not None:
        rows[META_TARGET] = layout.target.to_text()
    connection.execute(meta.delete().where(meta.c.key.in_([*rows, META_TARGET])))
    connection.execute(meta.insert(), [{"key": key, "value": value} for key, value in rows.items()])


def _copy_bounded(servers: InboxServers, layout: Layout) -> None:
    """Copy to the new shards which tenants' appends are counted, before anything is appended there."""
    doing, first = "copying quotas", layout.own()[0]
    with translated(doing):
        members = cast("set[bytes]", servers.client_of(first).smembers(keys.bounded(first)))
    if members:
        of_target = [*layout.newest.own()]
        servers.piped(doing, of_target, lambda asks, shard: asks.sadd(keys.bounded(shard), *members))
        servers.piped(doing, of_target, lambda asks, shard: asks.expire(keys.bounded(shard), keys.QUOTA_SECONDS))


def _close(servers: InboxServers, layout: Layout) -> None:
    servers.piped("closing shards", [*layout.own()], lambda asks, shard: asks.set(keys.closed(shard), "1"))


def _emptied(
    servers: InboxServers, plan: ReshardPlan, publisher: Publisher, most_seconds: float | None
) -> Iterator[int]:
    """Yield how many conversations are left until workers have stored and erased what the closed shards contain."""
    own, began, rung = plan.layout.own(), time.monotonic(), -RING_SECONDS
    while True:
        held = servers.piped(
            "counting remaining entries",
            [*own],
            lambda asks, shard: asks.exists(keys.tenants(shard), keys.forgotten(shard)),
        )
        waiting = [shard for shard, number in held.items() if number]
        conversations = sum(
            totals.conversations + totals.forgotten for totals in waiting_totals(servers) if totals.shard in own
        ) if waiting else 0  # fmt: skip
        yield conversations
        if not waiting:
            return
        now = time.monotonic()
        if most_seconds is not None and now - began > most_seconds:
            msg = f"{conversations} conversations are still in the old shards after {most_seconds:g} s"
            raise Unavailable(msg, remedy=_CONTINUE)
        if now - rung >= RING_SECONDS:
            rung = now
            for shard in waiting:
                publisher.drain(shard)
                publisher.erase(shard)
        time.sleep(POLL_SECONDS)


_CONTINUE: Final = (
    "start workers (-Q turnfold.ingest,turnfold.maintenance), and run `turnfold reshard` again to "
    "continue; appends and reads keep working"
)


def _remove_rest(servers: InboxServers, layout: Layout) -> None:
    """Remove the leftovers of closed shards. Raises `Unavailable` for an inbox that workers were never told about."""
    tags = {tag(shard) for shard in layout.own()}
    for position in range(layout.servers):
        with translated("cleaning up closed shards"):
            _remove_from(servers.client(position), tags)


def _remove_from(client: redis.Redis, tags: set[str]) -> None:
    for names in _blocks(client.scan_iter(match="tf:{*", count=_SCANNED_AT_ONCE)):
        of_shards = [name for name in names if _tag_of(name) in tags]
        if any(_kind_of(name) in _HOLDS_WORK for name in of_shards):
            msg = "an inbox of a closed shard contains entries that no worker is notified of"
            raise Unavailable(msg, remedy="see `turnfold doctor`; nothing is lost, the reshard can continue later")
        pipeline: Any = client.pipeline(transaction=False)
        for name in of_shards:
            if _kind_of(name) not in _STANDS:
                pipeline.unlink(name)
        if len(pipeline):
            pipeline.execute()


def _blocks(names: Iterator[bytes]) -> Iterator[Sequence[str]]:
    block: list[str] = []
    for name in names:
        block.append(name.decode())
        if len(block) == _SCANNED_AT_ONCE:
            yield block
            block = []
    yield block


def _tag_of(name: str) -> str:
    return name[len("tf:") :].partition("}")[0] + "}"


def _kind_of(name: str) -> str:
    return name.partition("}:")[2].partition(":")[0]
