"""Rings: requests for tasks, as they stand in Redis until a worker hears them.

A ring stands once, however often it is asked for, and ends by itself: the work is in the inboxes and in SQL.
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
    """Numbers of at most 19 digits, none negative; of a drain and an erasure the shard."""

    @property
    def queue(self) -> Queue:
        return QUEUE_OF[self.task]

    @property
    def key(self) -> str:
        """The sorted set in which it stands, on the server of its shard."""
        return keys.rung_for(self.queue)

    @property
    def shard(self) -> int | None:
        """What it is about; None for what is about no shard."""
        return self.arguments[0] if self.task in {Task.DRAIN, Task.ERASE} and self.arguments else None

    @property
    def member(self) -> str:
        """Its name in the set.

        >>> Ring(Task.RECONSTRUCT, (12, 0, 7)).member
        'turnfold.reconstruct 12 0 7'
        """
        return " ".join((self.task, *map(str, self.arguments)))

    @classmethod
    def from_member(cls, member: bytes) -> Self | None:
        """The inverse of `member`; None for what is no ring: anybody may have written it who can write to Redis."""
        match = _MEMBER.fullmatch(member.decode("ascii", "replace"))
        if match is None or match[1] not in set(Task):
            return None
        task, arguments = Task(match[1]), tuple(map(int, match[2].split()))
        if task is Task.DRAIN and (len(arguments) != 1 or arguments[0] >= MOST_IDS):
            return None
        return cls(task, arguments)


def keys_of(queues: Collection[Queue]) -> list[str]:
    """Every key in which rings for tasks of these queues stand."""
    return [keys.rung_for(queue) for queue in Queue if queue in queues]
