"""Lookups of keys in SQL, in threads: a flood of made-up keys waits for threads of its own, and not without end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from turnfold_gateway.problems import Problem

KNOWN_THREADS: Final = 4
"""For keys that opened before, and for the audit log."""
UNKNOWN_THREADS: Final = 2
"""For keys that this process has not seen open yet, whether they exist or not."""
MOST_UNKNOWN: Final = 512
"""Unknown keys that wait for their lookup at once."""

_Found = TypeVar("_Found")


class Lookups:
    """Threads for what blocks. One for an application."""

    def __init__(self) -> None:
        self._known = ThreadPoolExecutor(KNOWN_THREADS, "turnfold-keys")
        self._unknown = ThreadPoolExecutor(UNKNOWN_THREADS, "turnfold-unknown-keys")
        self._waiting = 0

    async def for_known(self, call: Callable[[], _Found]) -> _Found:
        """What a call returns about a key that opened before."""
        return await asyncio.get_running_loop().run_in_executor(self._known, call)

    async def for_unknown(self, call: Callable[[], _Found]) -> _Found:
        """What a call returns about any other key. Raises `Problem` (429) when too many wait."""
        if self._waiting >= MOST_UNKNOWN:
            raise Problem(
                429, "too-many-unknown-keys", "Too many unknown keys are looked up",
                detail="many requests with keys that did not open before wait for their lookup",
                remedy="repeat the request after Retry-After seconds", headers={"Retry-After": "1"},
                retry_after_seconds=1,
            )  # fmt: skip
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._unknown, call)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        for threads in (self._known, self._unknown):
            threads.shutdown(wait=False)
