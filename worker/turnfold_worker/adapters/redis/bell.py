"""The worker's side of the bell in Redis: rings that it sends, and rings that it takes to start Celery tasks.

Keys and their contents are listed in `turnfold.contract.keys`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from typing import Final, cast

import redis

from turnfold.contract.rings import Ring, keys_of
from turnfold.contract.tasks import TASK_OF, JobKind, Queue, Task
from turnfold.redis.bell import Bell, ring_on
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis import scripts

_log = logging.getLogger(__name__)

MOST_RINGS: Final = 100
"""Rings taken from one key at a time; further ones are taken a moment later."""


class RedisPublisher:
    """Implements `ports.Publisher`. A ring that Redis rejects is dropped: a sweep rings again."""

    def __init__(self, servers: InboxServers) -> None:
        self._bell = Bell(servers)

    def drain(self, shard: int) -> None:
        self._bell.ring(Ring(Task.DRAIN, (shard,)))

    def erase(self, shard: int) -> None:
        self._bell.ring(Ring(Task.ERASE, (shard,)))

    def work(self, kind: JobKind) -> None:
        self._bell.ring(Ring(TASK_OF[kind]))


class RungBells:
    """Takes the rings of one server, each once. A ring lost with its process is repeated by a sweep."""

    def __init__(self, client: redis.Redis) -> None:
        """The timeout of `client` must exceed the time that `wait` waits."""
        self._client = client

    def wait(self, queues: Collection[Queue], seconds: float) -> list[Ring]:
        """Return the first ring for some queues as soon as there is one; none after `seconds`."""
        found = cast(
            "tuple[bytes, bytes, float] | list[bytes] | None", self._client.bzpopmin(keys_of(queues), timeout=seconds)
        )
        return _rings([found[1]]) if found else []

    def take(self, queues: Collection[Queue]) -> list[Ring]:
        """Take all present rings for some queues."""
        return _rings(cast("list[bytes]", scripts.TAKE_RINGS(self._client, keys_of(queues), [MOST_RINGS])))

    def give_back(self, rings: Iterable[Ring]) -> None:
        """Put rings back, to be taken again."""
        for ring in rings:
            try:
                ring_on(self._client, ring)
            except redis.RedisError as error:
                _log.warning("the ring for %s was not requeued: %s", ring.member, type(error).__name__)

    def close(self) -> None:
        self._client.close()


def _rings(members: Iterable[bytes]) -> list[Ring]:
    rings = {member: Ring.from_member(member) for member in members}
    if unread := [member for member, ring in rings.items() if ring is None]:
        _log.error("unreadable rings were dropped: %d", len(unread))
    return [ring for ring in rings.values() if ring is not None]
