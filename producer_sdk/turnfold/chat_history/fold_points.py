"""Where each conversation was folded the last time, so that its block stays whatever process forwards it.

Fold points are in Redis beside the blocks that they name, and end with them. None is remembered here: another process
may have made a newer block since.
"""

from __future__ import annotations

import json
import time
from dataclasses import astuple, dataclass
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
    """The last fold point of each conversation, whoever forwarded it."""

    def __init__(self, *, wait_seconds: float) -> None:
        """`wait_seconds`: longest wait for turns that a new block is to tell and no worker has folded yet."""
        self._wait_seconds = wait_seconds
        self._no_wait_until = 0.0

    async def find(self, memory: ConversationMemory) -> FoldPoint | None:
        """The fold point of a conversation; None without one that can be read. Raises `Unavailable`."""
        packed = await memory.turnfold._fold_point(memory.conversation)  # noqa: SLF001 - the same package
        return None if packed is None else read_point(packed)

    async def keep(self, memory: ConversationMemory, point: FoldPoint) -> None:
        """Keep a fold point while its block's context is kept. Raises `Unavailable`."""
        packed = json.dumps(astuple(point)).encode()
        await memory.turnfold._keep_fold_point(memory.conversation, packed, point.reference)  # noqa: SLF001

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


def read_point(packed: bytes) -> FoldPoint | None:
    """A fold point as it is kept; None of what another version wrote.

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
