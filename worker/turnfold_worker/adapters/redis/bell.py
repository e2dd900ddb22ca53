"""The bell in Redis from the worker's side: what it rings for, and what it hears for Celery to do.

Keys and what they hold are listed in `turnfold.contract.keys`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from typing import Final, cast

import redis

from turnfold.contract.rings import Ring, keys_of
from turnfold.contract.tasks import TASK_OF, JobKind, Queue, Task
from turnfold.redis.bell import Bell, ring_on
from turnfold.redis.lua import Script
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis import scripts as redis_scripts

_log = logging.getLogger(__name__)

_TAKE: Final = Script(redis_scripts.TAKE_RINGS)
MOST_RINGS: Final = 100
"""Taken from one key at a time: the others are heard in a moment."""


class RedisPublisher:
    """Implements `ports.Publisher`. A ring that Redis does not take is dropped: a sweep rings again."""

    def __init__(self, servers: InboxServers) -> None:
        self._bell = Bell(servers)

    def drain(self, shard: int) -> None:
        self._bell.ring(Ring(Task.DRAIN, (shard,)))

    def erase(self, shard: int) -> None:
        self._bell.ring(Ring(Task.ERASE, (shard,)))

    def work(self, kind: JobKind) -> None:
        self._bell.ring(Ring(TASK_OF[kind]))


class RungBells:
    """Takes the rings of one server, each once. Whoever dies with one loses it: a sweep rings again."""

    def __init__(self, client: redis.Redis) -> None:
        """`client` waits for an answer longer than `wait` is told to."""
        self._client = client

    def wait(self, queues: Collection[Queue], seconds: float) -> list[Ring]:
        """The first ring for these queues, as soon as there is one; none when `seconds` are over."""
        found = cast(
            "tuple[bytes, bytes, float] | list[bytes] | None", self._client.bzpopmin(keys_of(queues), timeout=seconds)
        )
        return _rings([found[1]]) if found else []

    def take(self, queues: Collection[Queue]) -> list[Ring]:
        """All that have rung for these queues by now."""
        return _rings(cast("list[bytes]", _TAKE(self._client, keys_of(queues), [MOST_RINGS])))

    def give_back(self, rings: Iterable[Ring]) -> None:
        """Let others, or this one later, hear them."""
        for ring in rings:
            try:
                ring_on(self._client, ring)
            except redis.RedisError as error:
                _log.warning("%s was not given back: %s", ring.member, type(error).__name__)

    def close(self) -> None:
        self._client.close()


def _rings(members: Iterable[bytes]) -> list[Ring]:
    rings = {member: Ring.from_member(member) for member in members}
    if unread := [member for member, ring in rings.items() if ring is None]:
        _log.error("rings that cannot be read were dropped: %d", len(unread))
    return [ring for ring in rings.values() if ring is not None]
