"""URLs of servers: several of Redis in one text, and each as it may be shown."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidSettings

CLUSTER: Final = ("redis+cluster://", "rediss+cluster://")
_BETWEEN_URLS: Final = lazy_pattern(r",(?=\s*[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_IN_OPTIONS: Final = lazy_pattern(r"(?i)(?<=password=)[^&#]+")


def urls_of(redis_url: str) -> list[str]:
    """The servers of TURNFOLD_REDIS_URL in order; a cluster is one, however many of its nodes are named.

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


def nodes_of_cluster(url: str) -> list[str]:
    """A plain URL of each node that a cluster's URL names, with its user, password and options.

    Raises `InvalidSettings` for what names no node, or another database than 0.

    >>> nodes_of_cluster("rediss+cluster://me:secret@a:1,b:2?ssl_ca_certs=ca.pem")
    ['rediss://me:secret@a:1?ssl_ca_certs=ca.pem', 'rediss://me:secret@b:2?ssl_ca_certs=ca.pem']
    """
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    scheme = parts.scheme.removesuffix("+cluster")
    nodes = [urlunsplit((scheme, f"{user}{at}{host}", "", parts.query, "")) for host in hosts.split(",")]
    if parts.path not in {"", "/", "/0"} or not all(map(_names_a_server, nodes)):
        msg = "TURNFOLD_REDIS_URL names a cluster by what is no list of servers, or a database of it other than 0"
        raise InvalidSettings(msg, remedy="use redis+cluster://host:port,host:port, or rediss+cluster://… with TLS")
    return nodes


def _names_a_server(url: str) -> bool:
    parts = urlsplit(url)
    try:
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def without_password(url: str) -> str:
    """A server's URL as it may be shown: nothing before its last `@`, whatever a password is made of.

    >>> without_password("redis://me:a/b@cache:6379/0?password=c")
    'redis://cache:6379/0?password=***'
    >>> without_password("redis://me:a@one:6379,redis://me:b@two:6379")
    'redis://one:6379,redis://two:6379'
    """
    return ",".join(map(_shown_one, urls_of(url)))


def _shown_one(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return _IN_OPTIONS.sub("***", f"{scheme}{separator}{rest.rpartition('@')[2]}")
