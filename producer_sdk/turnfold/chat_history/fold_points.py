"""Where each conversation was folded the last time, so that its block stays."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from turnfold.chat_history.memory import ConversationMemory
from turnfold.errors import WaitTimeout

NO_WAIT_SECONDS: Final = 30.0
"""After a fold that took too long: with no worker every caller would wait."""


@dataclass(frozen=True, slots=True)
class FoldPoint:
    """Where a conversation was folded the last time."""

    reference: str
    """Of the context whose record is the block."""
    first_raw: str
    """Id of the first turn behind the block."""
    question: str = ""
    """Id of the newest user turn of the last call."""
    answers: str = ""
    """Reference of the context that it asked for."""


class FoldPoints:
    """The last fold point of each conversation that this process forwards. Blocks themselves are in Redis."""

    def __init__(self, *, wait_seconds: float, most: int = 50_000) -> None:
        """`wait_seconds`: longest wait for turns that a new block is to tell and no worker has folded yet."""
        self._wait_seconds = wait_seconds
        self._no_wait_until = 0.0
        self._most = most
        self._points: OrderedDict[tuple[str, str], FoldPoint] = OrderedDict()

    def find(self, tenant: str, conversation: str) -> FoldPoint | None:
        return self._points.get((tenant, conversation))

    def keep(self, tenant: str, conversation: str, point: FoldPoint) -> None:
        self._points[tenant, conversation] = point
        self._points.move_to_end((tenant, conversation))
        while len(self._points) > self._most:
            self._points.popitem(last=False)

    def drop(self, tenant: str, conversation: str) -> None:
        self._points.pop((tenant, conversation), None)

    async def wait(self, memory: ConversationMemory) -> bool:
        """Wait for the fold of a conversation; False when it took too long, after which nobody waits for a while."""
        if not self._wait_seconds or time.monotonic() < self._no_wait_until:
            return False
        try:
            await memory.turnfold.wait(memory.conversation, timeout_seconds=self._wait_seconds)
        except WaitTimeout:
            # No worker, or one with much to do: what is not folded stands as a line that can be expanded.
            self._no_wait_until = time.monotonic() + NO_WAIT_SECONDS
            return False
        return True
