"""How large a soak is, what its workers take of memory, and what an undisturbed run makes of its conversations."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import psutil

from turnfold_worker import offline

if TYPE_CHECKING:
    from support.chaos import Chaos

PREFIX = "TURNFOLD_SOAK_"
LOOK_SECONDS = 5.0


class Shape(NamedTuple):
    """The sizes, each from a variable with the prefix `TURNFOLD_SOAK_` and its name in capitals."""

    turns: int = 1_200
    conversations: int = 120
    tenants: int = 20
    minutes: float = 6.0
    """Until it has failed."""
    seed: int = 24
    most_mib: float = 400.0
    """Of memory that one process of a worker may take at any time."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Raises `ValueError` where a number is none, or the sizes do not fit each other."""
        given = {name: environment.get(PREFIX + name.upper()) for name in cls._fields}
        defaults = cls()
        shape = cls(**{name: type(getattr(defaults, name))(text) for name, text in given.items() if text is not None})
        if not 1 <= shape.tenants <= shape.conversations <= shape.turns:
            msg = f"{PREFIX}TENANTS <= {PREFIX}CONVERSATIONS <= {PREFIX}TURNS, and at least 1: {shape}"
            raise ValueError(msg)
        return shape

    def lengths(self) -> dict[tuple[str, str], int]:
        """(tenant, conversation) -> turns: half of the conversations have a quarter of the turns, or one each."""
        short = self.conversations // 2
        few = max(1, self.turns // (4 * max(1, short)))
        left, long = self.turns - few * short, self.conversations - short
        turns = [few] * short + [left // long + (number < left % long) for number in range(long)]
        return {(f"tenant-{n % self.tenants}", f"conversation {n}"): many for n, many in enumerate(turns)}

    def as_row(self) -> dict[str, Any]:
        return self._asdict()


class MemoryWatch:
    """Resident memory of the workers' processes, looked at while a chaos goes on."""

    def __init__(self, chaos: Chaos) -> None:
        self._chaos = chaos
        self._next = 0.0
        self.seen: list[tuple[int, float]] = []
        """(turns folded, MiB of the largest process)."""

    def look(self, folded: int) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LOOK_SECONDS
        sizes = [_resident_mib(pid) for worker in self._chaos.workers for pid in worker.processes()]
        self.seen.append((folded, max(sizes, default=0.0)))

    @property
    def largest_mib(self) -> float:
        return max(mib for _, mib in self.seen)

    def as_row(self) -> dict[str, Any]:
        return {"largest process, MiB, by turns folded": [(folded, round(mib)) for folded, mib in self.seen]}


def _resident_mib(pid: int) -> float:
    try:
        return psutil.Process(pid).memory_info().rss / 2**20
    except psutil.NoSuchProcess:
        return 0.0


def undisturbed_digests(
    conversations: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
) -> dict[tuple[str, str], str]:
    """What each conversation's rows are when it is folded in one process, without Redis or Celery."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        digests = pool.map(_digest, ((name, said) for (_, name), said in conversations.items()), chunksize=16)
        return dict(zip(conversations, digests, strict=True))


def _digest(conversation: tuple[str, Sequence[Mapping[str, Any]]]) -> str:
    name, said = conversation
    with offline.fold(said, conversation_id=name) as folded:
        return folded.digest()
