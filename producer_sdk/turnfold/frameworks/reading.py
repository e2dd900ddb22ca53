"""What all of them have in common: a conversation, how it is read, and when a message was added."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from turnfold.errors import InvalidInput

_Client = TypeVar("_Client")

_OWN: Final = frozenset({"conversation_id", "query", "query_vector", "expand"})


def read_options(budget_tokens: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `Turnfold.context` is given at every read of a session. Raises `InvalidInput`."""
    if own := sorted(_OWN & options.keys()):
        msg = f"{own[0]} changes from read to read: call `context` yourself where you need it"
        raise InvalidInput(msg)
    return {**options, "budget_tokens": budget_tokens}


def checked_client(client: object, wanted: type[_Client]) -> _Client:
    """The client that an adapter calls. Raises `InvalidInput` for one of the other kind, which would fail later."""
    if isinstance(client, wanted):
        return client
    msg = f"this adapter takes {wanted.__name__}, not {type(client).__name__}: its framework calls that one's methods"
    raise InvalidInput(msg)


def now() -> str:
    """When a message is added: frameworks' messages have no time, and contexts are better with one."""
    return datetime.now(UTC).isoformat()
