"""Erased words in the logs of Redis: marked until each log was written anew."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import redis

from turnfold.contract import keys
from turnfold.database.remnants import DATABASE_LOG, REDIS_LOG, REWRITING
from turnfold.redis.connections import microseconds_of, nodes_of
from turnfold.redis.errors import refusal
from turnfold.redis.lua import Script
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis import scripts as redis_scripts
from turnfold_worker.adapters.redis.failures import asks_redis

_log = logging.getLogger(__name__)

REWRITE_SECONDS: Final = 600
"""How often Redis is told to write its log anew at most: all that it holds is written."""
_CLEARED: Final = Script(redis_scripts.CLEARED)


@asks_redis
class RedisLogs:
    """Of every server of the inboxes, marked together: words may have lain on any of them."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def mark_remnants(self) -> None:
        self._servers.of_all("marking logs", _mark)

    def remnants(self) -> dict[str, str]:
        marks = self._servers.of_all("reading marks of logs", _marks)
        latest: dict[str, str] = {}
        for of_server in marks:
            for kind, mark in ((kind.decode(), mark.decode()) for kind, mark in of_server.items()):
                latest[kind] = max(latest.get(kind, mark), mark, key=int)
        return latest

    def rewrite_log(self, mark: str) -> bool:
        return all(self._servers.of_all("looking at its log", lambda client: _rewritten(client, mark)))

    def cleared(self, kind: str, mark: str) -> None:
        self._servers.of_all("clearing marks", lambda client: _CLEARED(client, [keys.REMNANTS], [kind, mark]))


def _marks(client: redis.Redis) -> dict[bytes, bytes]:
    return cast("dict[bytes, bytes]", client.hgetall(keys.REMNANTS))


def _mark(client: redis.Redis) -> None:
    now = microseconds_of(client)
    client.hset(keys.REMNANTS, mapping={DATABASE_LOG: now, REDIS_LOG: now})
    client.expire(keys.REMNANTS, keys.REMNANTS_SECONDS)


def _rewritten(client: redis.Redis, mark: str) -> bool:
    """Whether a server's files were written anew since, telling it to where they were not.

    Its append-only file, and its snapshot where it makes any; of a cluster, each primary's.
    """
    nodes = nodes_of(client)
    try:
        files = [_Files.of(node) for node in nodes]
    except redis.ResponseError:
        # Nothing is known of its files; the doctor tells of marks that stay.
        return False
    if not any(file.appends or file.snapshots for file in files):
        return True
    begun, now = int(client.hget(keys.REMNANTS, REWRITING) or 0), microseconds_of(client)
    is_over = not any(file.writes for file in files)
    if is_over and begun > int(mark) and all(file.is_newer_than(begun) for file in files):
        return True
    if not is_over or begun > now - REWRITE_SECONDS * 1_000_000:
        return False
    if any(file.appends for file in files) and not _told(nodes, lambda node: node.bgrewriteaof()):
        return False
    client.hset(keys.REMNANTS, REWRITING, now)
    if any(file.snapshots for file in files):
        # Behind the log: it is older than this moment until it is made.
        _told(nodes, lambda node: node.bgsave(schedule=True))
    return False


def _told(nodes: Sequence[redis.Redis], write: Callable[[redis.Redis], object]) -> bool:
    """Whether servers took an order to write a file anew."""
    try:
        for node in nodes:
            write(node)
    except redis.ResponseError as error:
        # Managed servers may forbid it; the doctor tells of marks that stay.
        _log.warning("Redis does not write its log anew: %s", ": ".join(refusal(error)))
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Files:
    """What a Redis server keeps on its disk."""

    appends: bool
    snapshots: bool
    about: dict[str, Any]

    @classmethod
    def of(cls, node: redis.Redis) -> _Files:
        """Those of a server. Where it tells nobody when it makes snapshots, one that it made tells."""
        about = node.info("persistence")
        try:
            snapshots = bool(node.config_get("save").get("save"))
        except redis.ResponseError:
            snapshots = bool(about.get("rdb_saves"))
        return cls(appends=bool(about.get("aof_enabled")), snapshots=snapshots, about=about)

    @property
    def writes(self) -> bool:
        """Whether one is being written anew."""
        names = ("aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress")
        return any(self.about.get(name) for name in names)

    def is_newer_than(self, microseconds: int) -> bool:
        """Whether all were written since, without an error."""
        appended = not self.appends or self.about.get("aof_last_bgrewrite_status") == "ok"
        saved_at = int(self.about.get("rdb_last_save_time", 0))
        saved = self.about.get("rdb_last_bgsave_status") == "ok" and saved_at >= microseconds // 1_000_000
        return appended and (saved or not self.snapshots)
