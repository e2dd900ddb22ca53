"""Clear erased text from the logs of Redis: marked until each log has been rewritten."""

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
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis import scripts
from turnfold_worker.adapters.redis.failures import asks_redis

_log = logging.getLogger(__name__)

REWRITE_SECONDS: Final = 600
"""Least interval between two rewrites of Redis's log: each writes the whole data set."""


@asks_redis
class RedisLogs:
    """The logs of all inbox servers, marked together: erased text may have been on any of them."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def mark_remnants(self) -> None:
        self._servers.of_all("marking logs", _mark)

    def remnants(self) -> dict[str, str]:
        marks = self._servers.of_all("reading the marks of logs", _marks)
        latest: dict[str, str] = {}
        for of_server in marks:
            for kind, mark in ((kind.decode(), mark.decode()) for kind, mark in of_server.items()):
                latest[kind] = max(latest.get(kind, mark), mark, key=int)
        return latest

    def rewrite_log(self, mark: str) -> bool:
        return all(self._servers.of_all("checking its log", lambda client: _rewritten(client, mark)))

    def cleared(self, kind: str, mark: str) -> None:
        self._servers.of_all("clearing marks", lambda client: scripts.CLEARED(client, [keys.REMNANTS], [kind, mark]))


def _marks(client: redis.Redis) -> dict[bytes, bytes]:
    return cast("dict[bytes, bytes]", client.hgetall(keys.REMNANTS))


def _mark(client: redis.Redis) -> None:
    now = microseconds_of(client)
    client.hset(keys.REMNANTS, mapping={DATABASE_LOG: now, REDIS_LOG: now})
    client.expire(keys.REMNANTS, keys.REMNANTS_SECONDS)


def _rewritten(client: redis.Redis, mark: str) -> bool:
    """Whether a server's files were rewritten since the mark; starts a rewrite where they were not.

    Covers the append-only file, and the snapshot where the server makes any; in a cluster, each primary's.
    """
    nodes = nodes_of(client)
    try:
        files = [_Files.of(node) for node in nodes]
    except redis.ResponseError:
        # The state of the files is unknown; the doctor reports marks that remain.
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
        # After the log: the snapshot counts as old until it is made.
        _told(nodes, lambda node: node.bgsave(schedule=True))
    return False


def _told(nodes: Sequence[redis.Redis], write: Callable[[redis.Redis], object]) -> bool:
    """Tell servers to rewrite a file; False where one refuses."""
    try:
        for node in nodes:
            write(node)
    except redis.ResponseError as error:
        # Managed servers may forbid it; the doctor reports marks that remain.
        _log.warning("Redis does not rewrite its log: %s", ": ".join(refusal(error)))
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Files:
    """The persistence files of a Redis server."""

    appends: bool
    snapshots: bool
    about: dict[str, Any]

    @classmethod
    def of(cls, node: redis.Redis) -> _Files:
        """Read the state of a server. Where `CONFIG` is forbidden, a past snapshot shows that it makes snapshots."""
        about = node.info("persistence")
        try:
            snapshots = bool(node.config_get("save").get("save"))
        except redis.ResponseError:
            snapshots = bool(about.get("rdb_saves"))
        return cls(appends=bool(about.get("aof_enabled")), snapshots=snapshots, about=about)

    @property
    def writes(self) -> bool:
        """Whether a rewrite of a file is in progress."""
        names = ("aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress")
        return any(self.about.get(name) for name in names)

    def is_newer_than(self, microseconds: int) -> bool:
        """Whether all files were written since then, without an error."""
        appended = not self.appends or self.about.get("aof_last_bgrewrite_status") == "ok"
        saved_at = int(self.about.get("rdb_last_save_time", 0))
        saved = self.about.get("rdb_last_bgsave_status") == "ok" and saved_at >= microseconds // 1_000_000
        return appended and (saved or not self.snapshots)
