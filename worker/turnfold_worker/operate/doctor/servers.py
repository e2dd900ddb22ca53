"""Checks of Redis, the database server, and the clocks of this machine and both servers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection
from itertools import chain
from typing import Any, Final

import redis
from sqlalchemy import Connection, Engine, select

from turnfold.contract import keys
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.failures import translated as sql_translated
from turnfold.database.remnants import DATABASE_LOG, REDIS_LOG
from turnfold.redis.connections import microseconds_of, nodes_of
from turnfold.redis.connections import translated as redis_translated
from turnfold.redis.lua import Call, Script
from turnfold.redis.servers import InboxServers
from turnfold_worker.operate import migrate
from turnfold_worker.operate.doctor.finding import Finding, attempted, judged
from turnfold_worker.operate.row_counts import waiting_totals

LEAST_REDIS: Final = (6, 2)
LEAST_POSTGRESQL: Final = 14
LEAST_SQLITE: Final = (3, 35)
"""The first version with RETURNING."""
SLOW_INBOX_SECONDS: Final = 60.0
"""Age of the oldest inbox entry above which no worker seems to be draining."""
SLOW_ERASURE_SECONDS: Final = 300.0
"""Age of the oldest request to forget above which no worker seems to be erasing."""
SLOW_LOG_SECONDS: Final = 3_600.0
"""Six times the interval at which workers rewrite logs."""
MOST_CLOCK_SECONDS: Final = 5.0
"""Difference between two clocks above which ages and log times are misleading."""
FULL: Final = 0.8
"""Share of Redis's memory limit above which appends, which are refused above nine tenths, will soon fail."""

# KEYS tenants ARGV ready prefix, score Returns how many leases end after the score.
_LEASED: Final = Script("""
local stuck = 0
for _, tenant in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  stuck = stuck + redis.call('ZCOUNT', ARGV[1] .. tenant, ARGV[2], '+inf')
end
return stuck
""")


def check_schema(database_url: str) -> Finding:
    """Check that the database serves this version's schema, without drift."""
    if (mismatch := migrate.mismatch(database_url)) is not None:
        return judged("schema", ok=False, detail=mismatch.reason, remedy=mismatch.remedy)
    drift = migrate.check(database_url)
    return judged(
        "schema", ok=not drift, detail="; ".join(drift) or migrate.state(database_url), remedy=migrate.DRIFT_REMEDY
    )


def check_database(engine: Engine) -> list[Finding]:
    """Check that the server is new enough and that reads see one committed state."""
    with sql_translated(), engine.begin() as connection:
        return _check_sqlite(connection) if engine.dialect.name == "sqlite" else _check_postgresql(connection)


def _check_sqlite(connection: Connection) -> list[Finding]:
    mode = str(connection.exec_driver_sql("PRAGMA journal_mode").scalar())
    return [
        judged(
            "database: version", ok=sqlite3.sqlite_version_info >= LEAST_SQLITE,
            detail=f"SQLite {sqlite3.sqlite_version}", remedy="use a Python with SQLite 3.35 or newer",
        ),
        judged(
            "I9 consistent read: reads see one committed state", ok=mode == "wal", detail=f"journal mode {mode}",
            remedy="put the file on a local disk, where SQLite can use its write-ahead log; or use PostgreSQL",
        ),
    ]  # fmt: skip


def _check_postgresql(connection: Connection) -> list[Finding]:
    number = int(str(connection.exec_driver_sql("SHOW server_version_num").scalar()))
    isolation = str(connection.exec_driver_sql("SHOW transaction_isolation").scalar())
    durable = str(connection.exec_driver_sql("SHOW fsync").scalar())
    return [
        judged(
            "database: version", ok=number // 10_000 >= LEAST_POSTGRESQL,
            detail=f"PostgreSQL {number // 10_000}.{number % 10_000}", remedy="upgrade to PostgreSQL 14 or newer",
        ),
        judged(
            "database: durability", ok=durable == "on", detail=f"fsync {durable}",
            remedy="set `fsync = on`: inboxes are trimmed as soon as the database confirms that turns are stored",
        ),
        judged(
            "I9 consistent read: reads see one committed state", ok=isolation == "repeatable read", detail=isolation,
            remedy="a pooler or driver overrides the isolation level of transactions: stop it from doing so",
        ),
    ]  # fmt: skip


def check_redis(servers: InboxServers, *, lease_seconds: float) -> list[Finding]:
    """Check that Redis answers, is new enough, persists and does not evict data, and that its inboxes are drained.

    Raises `Unavailable` if no server answers; what one of several that is away hides is a finding.
    """
    findings: list[Finding] = []
    # INFO, because managed servers often forbid CONFIG.
    abouts: dict[int, list[dict[str, Any]]] = servers.answering("reading INFO", _of_each_node)
    for number, about in enumerate(chain.from_iterable(abouts.values()), start=1):
        version = str(about.get("redis_version", "0.0"))
        of_server = [
            judged(
                "redis: version", ok=tuple(int(part) for part in version.split(".")[:2]) >= LEAST_REDIS,
                detail=version, remedy=f"upgrade to {'.'.join(map(str, LEAST_REDIS))} or newer",
            ),
            _check_persistence(about),
            _check_eviction(about),
        ]  # fmt: skip
        # The first server is always reported; further servers only where a check fails.
        findings += [finding for finding in of_server if number == 1 or not finding.ok]
    return [
        *findings,
        *attempted("redis: layout", lambda: [_check_layout(servers, abouts.keys())]),
        *attempted("inbox", lambda: _check_inboxes(servers)),
        *attempted("inbox: leases expire", lambda: [_check_leases(servers, lease_seconds)]),
    ]


def _of_each_node(client: redis.Redis) -> list[dict[str, Any]]:
    return [node.info() for node in nodes_of(client)]


def _check_layout(servers: InboxServers, answering: Collection[int]) -> Finding:
    """Check that every inbox server answers, and that Redis and the database agree on the layout."""
    layout = servers.layout(fresh=True)
    away = [str(position + 1) for position in range(layout.most_servers) if position not in answering]
    detail = f"{layout.shards} shards on {layout.most_servers} servers, {len(answering)} answering"
    if away:
        detail += f"; no answer from number {', '.join(away)} of TURNFOLD_REDIS_URL"
    if layout.target is not None:
        detail += (
            f"; a reshard to {layout.target.shards} shards on {layout.target.servers} servers is in progress: "
            "if its command was stopped, run `turnfold reshard` to continue"
        )
    if layout != (stored := servers.stored_layout()):
        return judged(
            "redis: layout", ok=False,
            detail=f"{detail}; the database says {stored.to_text()}, Redis {layout.to_text()}",
            remedy="run `turnfold reshard` to finish an interrupted reshard, or after restoring a backup",
        )  # fmt: skip
    if layout.target is None and layout.servers < len(servers):
        detail += f"; TURNFOLD_REDIS_URL lists {len(servers)}: run `turnfold reshard` to use them all"
    return judged(
        "redis: layout", ok=not away, detail=detail,
        remedy="start the missing servers; turns in their inboxes are stored once they are back",
    )  # fmt: skip


def _check_persistence(about: dict[str, Any]) -> Finding:
    on, written = bool(about.get("aof_enabled")), str(about.get("aof_last_write_status", "ok"))
    remedy = "enable `appendonly`: otherwise turns in the inbox are lost when Redis restarts"
    if on and written != "ok":
        remedy = "see the Redis log: the disk may be full; Redis refuses appends until it can write"
    return judged(
        "redis: persistence", ok=on and written == "ok",
        detail=f"append-only file {'on' if on else 'off'}{'' if written == 'ok' else ', the last write failed'}",
        remedy=remedy,
    )  # fmt: skip


def _check_eviction(about: dict[str, Any]) -> Finding:
    policy, limit, used = str(about.get("maxmemory_policy", "unknown")), int(about.get("maxmemory", 0)), 0.0
    if limit:
        used = int(about.get("used_memory", 0)) / limit
    keeps = policy == "noeviction" or not limit
    return judged(
        "redis: eviction", ok=keeps and used < FULL,
        detail=f"{policy}, {f'{used:.0%} of memory used' if limit else 'no memory limit'}",
        remedy="give Redis more memory, or add ingest workers: appends fail when it is full"
        if keeps
        else "set `maxmemory-policy noeviction`: evicting an inbox loses turns",
    )  # fmt: skip


def _check_inboxes(servers: InboxServers) -> list[Finding]:
    waiting = waiting_totals(servers)
    oldest = max((totals.oldest_seconds for totals in waiting), default=0.0)
    entries = sum(totals.entries for totals in waiting)
    doing = "reading pending erasures"
    marks = servers.piped(
        doing, servers.all(), lambda asks, shard: asks.zrange(keys.forgotten(shard), 0, 0, withscores=True)
    )
    remnants = servers.of_all(doing, lambda client: client.hmget(keys.REMNANTS, [DATABASE_LOG, REDIS_LOG]))
    now = max(servers.of_all(doing, microseconds_of)) / 1_000_000
    since = max((now - float(rows[0][1]) / 1_000_000 for rows in marks.values() if rows), default=0.0)
    logs = max((now - float(mark) / 1_000_000 for of_server in remnants for mark in of_server if mark), default=0.0)
    forgotten = sum(totals.forgotten for totals in waiting)
    return [
        judged(
            "inbox: appended turns are stored", ok=oldest < SLOW_INBOX_SECONDS,
            detail=f"{entries} entries waiting, the oldest for {oldest:.0f} s",
            remedy="start workers (`turnfold up`, or celery with -Q turnfold.ingest,turnfold.maintenance)",
        ),
        judged(
            "erasure: forgotten conversations are deleted", ok=since < SLOW_ERASURE_SECONDS,
            detail=f"{forgotten} conversations to erase, the oldest for {since:.0f} s",
            remedy="start workers with -Q turnfold.maintenance; until then their rows are hidden but still stored",
        ),
        judged(
            "erasure: logs are rewritten", ok=logs < SLOW_LOG_SECONDS,
            detail=f"erased text may remain in logs, for {logs:.0f} s" if logs else "no log contains erased text",
            remedy="allow the user of TURNFOLD_REDIS_URL to run BGREWRITEAOF and, with snapshots, BGSAVE, or run "
                "them yourself; close programs that keep the SQLite file open for hours",
        ),
    ]  # fmt: skip


def _check_leases(servers: InboxServers, lease_seconds: float) -> Finding:
    """Look for leases that end later than any lease can. They count as ready, but show that a clock was set back."""
    doing = "reading leases"
    ahead = max(servers.of_all(doing, microseconds_of)) + 2_000_000 * lease_seconds
    calls = [Call(shard, [keys.tenants(shard)], [keys.ready_prefix(shard), f"({ahead:.0f}"]) for shard in servers.all()]
    stuck = sum(servers.each(doing, _LEASED, calls))
    return judged(
        "inbox: leases expire", ok=not stuck, detail=f"{stuck} leases expire too late" if stuck else "none expires "
            "too late",
        remedy="the Redis clock was set back, or workers have different TURNFOLD_LEASE_SECONDS: use the same value "
            "for all",
    )  # fmt: skip


def check_clocks(engine: Engine, servers: InboxServers) -> list[Finding]:
    """Compare this machine's clock with Redis's and the database's."""
    began = time.time()
    with redis_translated("reading its clock"):
        server_seconds = microseconds_of(servers.home) / 1_000_000
    between = time.time()
    with sql_translated(), engine.begin() as connection:
        stored = (connection.scalar(select(now_milliseconds())) or 0) / 1_000
    offsets = {"Redis": server_seconds - (began + between) / 2, "the database": stored - (between + time.time()) / 2}
    return [
        judged(
            "clocks: this machine, Redis and the database agree",
            ok=max(offsets.values()) - min(offsets.values()) < MOST_CLOCK_SECONDS
            and max(map(abs, offsets.values())) < MOST_CLOCK_SECONDS,
            detail=", ".join(f"{name} {offset:+.1f} s" for name, offset in offsets.items()),
            remedy="synchronise all machines with NTP: no data is lost, but ages and leases are wrong",
        )
    ]
