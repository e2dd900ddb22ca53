"""Rings: requests for tasks, kept in Redis until a worker hears them.

Repeated rings are one ring, and a ring expires by itself: the work to do is recorded in the inboxes and in SQL.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from turnfold.contract import keys
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.shards import MOST_IDS
from turnfold.contract.tasks import QUEUE_OF, Queue, Task

_MEMBER: Final = lazy_pattern(r"([a-z.]+)((?: (?:0|[1-9][0-9]{0,18}))*)")


@dataclass(frozen=True, slots=True)
class Ring:
    """A request for one task."""

    task: Task
    arguments: tuple[int, ...] = ()
    """Numbers of up to 19 digits, none negative; for a drain and an erasure, the shard."""

    @property
    def queue(self) -> Queue:
        return QUEUE_OF[self.task]

    @property
    def key(self) -> str:
        """Key of the sorted set of the ring, on the server of its shard."""
        return keys.rung_for(self.queue)

    @property
    def shard(self) -> int | None:
        """The shard of a drain or an erasure; None for other tasks."""
        return self.arguments[0] if self.task in {Task.DRAIN, Task.ERASE} and self.arguments else None

    @property
    def member(self) -> str:
        """Member of the sorted set.

        >>> Ring(Task.RECONSTRUCT, (12, 0, 7)).member
        'turnfold.reconstruct 12 0 7'
        """
        return " ".join((self.task, *map(str, self.arguments)))

    @classmethod
    def from_member(cls, member: bytes) -> Self | None:
        """The inverse of `member`; None for an invalid one: any client that can write to Redis may have written it."""
        match = _MEMBER.fullmatch(member.decode("ascii", "replace"))
        if match is None or match[1] not in set(Task):
            return None
        task, arguments = Task(match[1]), tuple(map(int, match[2].split()))
        if task is Task.DRAIN and (len(arguments) != 1 or arguments[0] >= MOST_IDS):
            return None
        return cls(task, arguments)


def keys_of(queues: Collection[Queue]) -> list[str]:
    """Return every key with rings for tasks of some queues."""
    return [keys.rung_for(queue) for queue in Queue if queue in queues]
