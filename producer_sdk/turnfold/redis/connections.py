"""Clients of Redis servers, and translation of their errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from turnfold.contract.server_urls import is_cluster
from turnfold.errors import InvalidSettings, Unavailable
from turnfold.redis.errors import refusal

if TYPE_CHECKING:
    import redis

    from turnfold.redis.cluster import Cluster

MOST_CONNECTIONS: Final = 64
"""Connections per client: a call takes a millisecond, so far more threads can share them."""
_NONE_FREE: Final = "No connection available"
"""Message of redis-py when no connection becomes free in time; it has no exception class for that."""
_START_ONE: Final = "`turnfold up` of turnfold-worker starts one on this machine"
_FORMS: Final = "use redis://host:port/0, rediss://… or unix://…"


def connect(redis_url: str, *, timeout_seconds: float) -> redis.Redis:
    """Create a client of one server that answers or fails within `timeout_seconds`, whatever the server does.

    A cluster counts as one server, and is connected to at once. Raises `InvalidSettings` for an invalid URL; for a
    cluster also Redis's errors.
    """
    try:
        return (_cluster if is_cluster(redis_url) else _server)(redis_url, timeout_seconds)
    except (ValueError, TypeError) as error:
        raise _no_url(error) from None


def _cluster(redis_url: str, timeout_seconds: float) -> redis.Redis:
    from turnfold.redis.cluster import connect_cluster

    cluster = connect_cluster(redis_url, timeout_seconds=timeout_seconds, most_connections=MOST_CONNECTIONS)
    # `Cluster` has the same commands, but no common base class.
    return cast("redis.Redis", cluster)


def _server(redis_url: str, timeout_seconds: float) -> redis.Redis:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # One immediate retry replaces a pooled connection that a restarted server has dropped. Repeating is safe: entries
    # are deduplicated by id.
    each = timeout_seconds / 2
    # The client of a Unix socket accepts neither option.
    network = {} if redis_url.startswith("unix://") else {"socket_connect_timeout": each, "socket_keepalive": True}
    # Threads beyond the limit wait for a connection, whereas redis-py's default pool fails at once.
    pool = redis.BlockingConnectionPool.from_url(
        redis_url, max_connections=MOST_CONNECTIONS, timeout=timeout_seconds, socket_timeout=each,
        retry=Retry(NoBackoff(), 1), health_check_interval=0, protocol=2, **network,
    )  # fmt: skip
    # Does not connect: validates options now that redis-py would validate only at the first call.
    pool.connection_class(**pool.connection_kwargs)
    return redis.Redis.from_pool(pool)


def is_cluster_client(client: redis.Redis) -> bool:
    """Whether a client is one of a cluster; avoids importing the cluster client where none is used."""
    return hasattr(client, "nodes_manager")


def nodes_of(client: redis.Redis) -> Sequence[redis.Redis]:
    """Return the server itself, or the primaries of a cluster, for commands about a single node: its log, memory."""
    return cast("Cluster", client).each_primary() if is_cluster_client(client) else [client]


def microseconds_of(client: redis.Redis) -> int:
    """Return a server's clock, in microseconds since 1970."""
    seconds, microseconds = client.time()
    return seconds * 1_000_000 + microseconds


def _no_url(error: Exception) -> InvalidSettings:
    # Omit the value taken for the port: it may be the rest of a password.
    reason = str(error)
    if "could not be cast" in reason:
        reason = "its port is not a number: write /, ? and # in a password as %2F, %3F and %23"
    elif isinstance(error, TypeError):
        reason = "it has an option unknown to redis-py"
    return InvalidSettings(f"TURNFOLD_REDIS_URL is not a Redis URL ({reason})", remedy=_FORMS)


class NoAnswer(Unavailable):
    """Redis is down or unreachable: it neither rejected the call nor was kept busy by this client."""


@contextmanager
def translated(doing: str, *, remedy: str = _START_ONE) -> Iterator[None]:
    """Translate Redis's errors into `Unavailable`; `remedy` applies if no server runs."""
    import redis
    from redis.exceptions import ClusterError, RedisClusterException

    try:
        yield
    except redis.AuthenticationError as error:
        msg = f"Redis rejected the user or password while {doing}"
        raise Unavailable(msg, remedy="correct them in TURNFOLD_REDIS_URL") from error
    except (redis.ConnectionError, redis.TimeoutError, ClusterError, RedisClusterException) as error:
        if _NONE_FREE in str(error):
            msg = f"all {MOST_CONNECTIONS} connections of this client to Redis were in use while {doing}"
            raise Unavailable(msg, remedy="use fewer threads, or several clients") from error
        msg = f"Redis did not answer while {doing}"
        raise NoAnswer(
            msg, remedy=f"check that it is running and that TURNFOLD_REDIS_URL is correct; {remedy}"
        ) from error
    except redis.RedisError as error:
        why, remedy = refusal(error)
        raise Unavailable(f"Redis refused while {doing}: {why}", remedy=remedy) from error
