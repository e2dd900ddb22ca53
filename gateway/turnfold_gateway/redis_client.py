"""The gateway's own asynchronous requests to Redis: rate limits of keys, idempotency keys, and pauses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, cast

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.exceptions import RedisClusterException, RedisError

from turnfold import Settings, Unavailable
from turnfold.contract.server_urls import is_cluster, nodes_of_cluster, urls_of

# KEYS moment     ARGV requests a minute
# The generic cell rate algorithm: the key stores the time up to which requests are used up. A minute's requests may
# come at once, but never more: a time further ahead, left by a clock that was set back, is capped at one minute.
# Returns 0 when the request fits, else the milliseconds until it may.
TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local share = 60000 / tonumber(ARGV[1])
local moment = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local fits = moment + share - now <= 60000
if fits then moment = moment + share else moment = math.min(moment, now + 60000) end
redis.call('SET', KEYS[1], string.format('%.3f', moment), 'PX', math.ceil(moment - now) + 1000)
if fits then return 0 end
return math.ceil(moment + share - now - 60000)
"""


class RedisClient:
    """Asynchronous client of Redis. Raises `Unavailable` when Redis does not answer."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def _client(self) -> Redis:
        seconds = self._settings.timeout_seconds
        timeouts: dict[str, Any] = {"socket_timeout": seconds, "socket_connect_timeout": seconds}
        # The first of several servers, since the gateway's keys belong to no conversation.
        url = urls_of(self._settings.redis_url)[0]
        if not is_cluster(url):
            return Redis.from_url(url, decode_responses=True, **timeouts)
        first_url, others = nodes_of_cluster(url)
        nodes = [ClusterNode(host, port) for host, port in others]
        # It has the same commands, but no common base type.
        return cast("Redis", RedisCluster.from_url(first_url, startup_nodes=nodes, decode_responses=True, **timeouts))

    async def take(self, name: str, a_minute: int) -> float:
        """Count a request against a limit; return 0.0, or the seconds until one fits again."""
        with _reached():
            return float(await self._client.eval(TAKE, 1, name, a_minute)) / 1_000

    async def remember(self, name: str, text: str, *, seconds: int) -> str | None:
        """Store a text unless one is stored already; return that one, else None."""
        with _reached():
            # Redis 6.2 cannot combine NX and GET.
            if await self._client.set(name, text, nx=True, ex=seconds):
                return None
            earlier = await self._client.get(name)
        return None if earlier is None else str(earlier)

    async def forget(self, name: str) -> None:
        """Delete a stored text."""
        with _reached():
            await self._client.delete(name)

    async def mark(self, name: str, *, seconds: float) -> None:
        """Set a mark that expires."""
        with _reached():
            await self._client.set(name, "1", px=round(seconds * 1_000))

    async def is_marked(self, name: str) -> bool:
        """Tell whether a mark is set."""
        with _reached():
            return bool(await self._client.exists(name))

    async def close(self) -> None:
        client = self.__dict__.pop("_client", None)
        if client is not None:
            await client.aclose()


@contextmanager
def _reached() -> Iterator[None]:
    """Convert Redis errors to `Unavailable`."""
    try:
        yield
    except (RedisError, RedisClusterException) as error:
        msg = f"Redis did not answer ({type(error).__name__})"
        raise Unavailable(msg, remedy="is TURNFOLD_REDIS_URL right?") from error
