"""What all of them have in common: a conversation, how it is read, and when a message was added."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from turnfold.errors import InvalidInput

_OWN: Final = frozenset({"conversation_id", "query", "query_vector", "expand"})


def read_options(budget_tokens: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `Turnfold.context` is given at every read of a session. Raises `InvalidInput`."""
    if own := sorted(_OWN & options.keys()):
        msg = f"{own[0]} changes from read to read: call `context` yourself where you need it"
        raise InvalidInput(msg)
    return {**options, "budget_tokens": budget_tokens}


def now() -> str:
    """When a message is added: frameworks' messages have no time, and contexts are better with one."""
    return datetime.now(UTC).isoformat()
