"""The last fold of each conversation, so that any process that forwards it reuses the same block.

Fold points are in Redis next to the blocks that they name, and expire with them. They are not cached here: another
process may have made a newer block since.
"""

from __future__ import annotations

import json
import time
from dataclasses import astuple, dataclass
from typing import Final

from turnfold.chat_history.memory import ConversationMemory
from turnfold.errors import WaitTimeout

NO_WAIT_SECONDS: Final = 30.0
"""Seconds without waiting after a wait timed out: with no worker, every caller would wait."""


@dataclass(frozen=True, slots=True)
class FoldPoint:
    """The last fold of a conversation."""

    reference: str
    """Reference of the context whose record is the block."""
    first_raw: str
    """Id of the first turn after the block."""
    question: str = ""
    """Id of the newest user turn of the last call."""
    answers: str = ""
    """Reference of the context about that question."""


class FoldPoints:
    """Reads and stores the last fold point of each conversation, shared by all processes."""

    def __init__(self, *, wait_seconds: float) -> None:
        """`wait_seconds`: longest wait for workers to fold the turns of a new block."""
        self._wait_seconds = wait_seconds
        self._no_wait_until = 0.0

    async def find(self, memory: ConversationMemory) -> FoldPoint | None:
        """Return the fold point of a conversation; None if there is none that can be read. Raises `Unavailable`."""
        packed = await memory.turnfold._fold_point(memory.conversation)  # noqa: SLF001 - the same package
        return None if packed is None else read_point(packed)

    async def keep(self, memory: ConversationMemory, point: FoldPoint) -> None:
        """Store a fold point as long as the context of its block is stored. Raises `Unavailable`."""
        packed = json.dumps(astuple(point)).encode()
        await memory.turnfold._keep_fold_point(memory.conversation, packed, point.reference)  # noqa: SLF001

    async def wait(self, memory: ConversationMemory) -> bool:
        """Wait for the fold of a conversation; False on timeout, after which calls do not wait for a while."""
        if not self._wait_seconds or time.monotonic() < self._no_wait_until:
            return False
        try:
            await memory.turnfold.wait(memory.conversation, timeout_seconds=self._wait_seconds)
        except WaitTimeout:
            # No worker, or a busy one: turns that are not folded appear as a line that can be expanded.
            self._no_wait_until = time.monotonic() + NO_WAIT_SECONDS
            return False
        return True


def read_point(packed: bytes) -> FoldPoint | None:
    """Parse a stored fold point; None for the form of another version.

    >>> read_point(b'["ctx_07", "m-17", "", ""]')
    FoldPoint(reference='ctx_07', first_raw='m-17', question='', answers='')
    >>> read_point(b'{"reference": "ctx_07"}')
    """
    try:
        fields = json.loads(packed)
    except ValueError:
        return None
    is_point = isinstance(fields, list) and len(fields) == len(FoldPoint.__slots__)
    return FoldPoint(*fields) if is_point and all(isinstance(field, str) for field in fields) else None
