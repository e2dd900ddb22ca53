"""URLs of servers: several of Redis in one text, and each as it may be shown."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

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
