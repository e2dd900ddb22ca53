"""Turnfold's offline run as a system under test of an evidence-retention harness.

Put this folder on PYTHONPATH; the harness names the system `retention_system:turnfold`. It passes conversations as
objects with `id` and `turns` of `role`, `name`, `ts` and `content`, and asks for contexts counted in o200k_base.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

import tiktoken

from turnfold_worker.offline import FoldedConversation, fold

_CLOCK = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2} \w+, \d{4})")


def parse_time(text: str) -> datetime | None:
    """Parse a harness's time such as `1:56 pm on 8 May, 2023`, or ISO 8601; return None for anything else."""
    match = _CLOCK.fullmatch(text.strip())
    if match:
        hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0)
        day = datetime.strptime(match[4], "%d %B, %Y").replace(tzinfo=UTC)
        return day.replace(hour=hour, minute=int(match[2]))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def as_turn(turn: Any, seq: int) -> dict[str, Any]:
    """Convert a harness's turn to a message dict."""
    time = parse_time(turn.ts) if turn.ts else None
    made: dict[str, Any] = {"turn_id": f"t{seq}", "role": turn.role, "content": turn.content or " "}
    if turn.name != turn.role:
        made["name"] = turn.name
    if time is not None:
        made["created_at"] = time.isoformat()
    if not made["content"].strip() and turn.role != "tool":
        made["content"] = "[empty]"
    return made


class TurnfoldSystem:
    """Folds one conversation at a time and reads contexts with and without a query."""

    name = "turnfold"
    query_aware = True
    query_free = True

    def __init__(self, *, semantic: bool = False, steered: bool = True) -> None:
        self._semantic = semantic
        self._unasked: Literal[False] | None = None if steered else False
        self._folded: FoldedConversation | None = None
        encoder = tiktoken.get_encoding("o200k_base")
        self._count: Callable[[str], int] = lambda text: len(encoder.encode_ordinary(text))

    def ingest(self, conversation: Any) -> None:
        self.close()
        turns = [as_turn(turn, seq) for seq, turn in enumerate(conversation.turns, start=1)]
        self._folded = fold(turns, conversation_id=conversation.id, semantic=self._semantic)

    def context(self, budget: int, query: str | None) -> str:
        if self._folded is None:
            msg = "ingest a conversation first"
            raise RuntimeError(msg)
        asked = self._unasked if query is None else query
        return self._folded.context(budget_tokens=budget, query=asked, count_tokens=self._count).text

    def close(self) -> None:
        if self._folded is not None:
            self._folded.close()
            self._folded = None


def turnfold() -> TurnfoldSystem:
    """Return the default system; called by the harness."""
    return TurnfoldSystem()


def turnfold_semantic() -> TurnfoldSystem:
    """Return the system with sentence vectors; needs `turnfold-worker[semantic]`."""
    return TurnfoldSystem(semantic=True)


def unsteered() -> TurnfoldSystem:
    """Return the system with `query=False` where no question is given."""
    return TurnfoldSystem(steered=False)
