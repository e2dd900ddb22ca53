"""URLs of servers: parsing of TURNFOLD_REDIS_URL, and URLs without passwords for display."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidSettings

CLUSTER: Final = ("redis+cluster://", "rediss+cluster://")
_PORT: Final = 6379
_BETWEEN_URLS: Final = lazy_pattern(r",(?=\s*[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_IN_OPTIONS: Final = lazy_pattern(r"(?i)(?<=password=)[^&#]+")


def urls_of(redis_url: str) -> list[str]:
    """Split TURNFOLD_REDIS_URL into its servers, in order; a cluster is one server, with any number of nodes.

    >>> urls_of("redis://a:1,redis+cluster://b:1,c:2, rediss://d:3")
    ['redis://a:1', 'redis+cluster://b:1,c:2', 'rediss://d:3']
    """
    return [url.strip() for url in _BETWEEN_URLS.split(redis_url)]


def is_cluster(url: str) -> bool:
    """Whether a URL names a Redis Cluster.

    >>> is_cluster("redis+cluster://a:1,b:2"), is_cluster("redis://a:1")
    (True, False)
    """
    return url.lower().startswith(CLUSTER)


class ClusterNodes(NamedTuple):
    """The nodes of a cluster that a URL names."""

    first_url: str
    """A plain URL of the first node, with the user, password and options of all."""
    others: list[tuple[str, int]]
    """Hosts and ports of the other nodes."""


def nodes_of_cluster(url: str) -> ClusterNodes:
    """Parse the nodes of a cluster's URL.

    Raises `InvalidSettings` for an invalid list of nodes, or a database other than 0.

    >>> nodes_of_cluster("rediss+cluster://me:secret@a:1,b?ssl_ca_certs=ca.pem")
    ClusterNodes(first_url='rediss://me:secret@a:1?ssl_ca_certs=ca.pem', others=[('b', 6379)])
    """
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    servers = [server for server in map(_server, hosts.split(",")) if server is not None]
    if parts.path not in {"", "/", "/0"} or len(servers) <= hosts.count(","):
        msg = "TURNFOLD_REDIS_URL names a cluster without a valid list of servers, or with a database other than 0"
        raise InvalidSettings(msg, remedy="use redis+cluster://host:port,host:port, or rediss+cluster://… with TLS")
    netloc = f"{user}{at}{hosts.partition(',')[0]}"
    return ClusterNodes(
        urlunsplit((parts.scheme.removesuffix("+cluster"), netloc, "", parts.query, "")), others=servers[1:]
    )


def _server(text: str) -> tuple[str, int] | None:
    """Parse a host and port; None if invalid."""
    parts = urlsplit(f"//{text}")
    try:
        port = _PORT if parts.port is None else parts.port
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None


def named_by(url: str) -> str:
    """Return what a URL names, equal for two spellings of one database of a server: without user and defaults.

    >>> named_by("redis://me:secret@Cache"), named_by("redis://cache:6379/0"), named_by("redis://cache/1")
    ('redis://cache:6379/0', 'redis://cache:6379/0', 'redis://cache:6379/1')
    """
    shown = without_password(url)
    parts = urlsplit(shown)
    server = _server(parts.netloc)
    if server is None:
        return shown
    return urlunsplit((parts.scheme, "{}:{}".format(*server), parts.path.strip("/") or "0", parts.query, ""))


def without_password(url: str) -> str:
    """Mask the credentials of URLs for display: everything up to the last `@`, and a password option.

    >>> without_password("redis://me:a/b@cache:6379/0?password=c")
    'redis://cache:6379/0?password=***'
    >>> without_password("redis://me:a@one:6379,redis://me:b@two:6379")
    'redis://one:6379,redis://two:6379'
    >>> without_password("redis//:a@cache:6379")
    'cache:6379'
    """
    return ",".join(map(_shown_one, urls_of(url)))


def _shown_one(url: str) -> str:
    # A URL without its colon is masked from its beginning.
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    return _IN_OPTIONS.sub("***", f"{scheme}{separator}{rest.rpartition('@')[2]}")
