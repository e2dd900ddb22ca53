"""Erased words in the logs of Redis: marked until each log was written anew."""

from __future__ import annotations

import logging
from typing import Any, Final, cast

import redis

from turnfold.contract import keys
from turnfold.database.remnants import DATABASE_LOG, REDIS_LOG, REWRITING
from turnfold.redis.connections import microseconds_of, nodes_of
from turnfold.redis.errors import refusal
from turnfold.redis.lua import Script
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis import scripts as redis_scripts

_log = logging.getLogger(__name__)

REWRITE_SECONDS: Final = 600
"""How often Redis is told to write its log anew at most: all that it holds is written."""
_CLEARED: Final = Script(redis_scripts.CLEARED)


class RedisLogs:
    """Of every server of the inboxes, marked together: words may have lain on any of them. Raises as `InboxServers`."""

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
    """Whether a server's log was written anew since, telling it to where it was not; of a cluster, each primary's."""
    nodes = nodes_of(client)
    try:
        abouts: list[dict[str, Any]] = [node.info("persistence") for node in nodes]
    except redis.ResponseError:
        # Nothing is known of its log; the doctor tells of marks that stay.
        return False
    if not any(about.get("aof_enabled") for about in abouts):
        return True
    begun, now = int(client.hget(keys.REMNANTS, REWRITING) or 0), microseconds_of(client)
    is_over = not any(about.get("aof_rewrite_in_progress") or about.get("aof_rewrite_scheduled") for about in abouts)
    if is_over and begun > int(mark) and all(about.get("aof_last_bgrewrite_status") == "ok" for about in abouts):
        return True
    if not is_over or begun > now - REWRITE_SECONDS * 1_000_000:
        return False
    try:
        for node in nodes:
            node.bgrewriteaof()
    except redis.ResponseError as error:
        # Managed servers may forbid it; the doctor tells of marks that stay.
        _log.warning("Redis does not write its log anew: %s", ": ".join(refusal(error)))
        return False
    client.hset(keys.REMNANTS, REWRITING, now)
    return False
