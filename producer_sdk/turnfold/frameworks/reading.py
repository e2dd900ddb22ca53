"""Helpers that the adapters share: read options, ids and times of turns, and conversions of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from turnfold.contract.bounded_memo import NewestEntries
from turnfold.errors import InvalidInput, InvalidTurn, TurnfoldError
from turnfold.wire.json_values import object_in
from turnfold.wire.projection import project

_Client = TypeVar("_Client")
_Message = TypeVar("_Message")
_Part = TypeVar("_Part")

_REMEMBERED: Final = 10_000
"""Conversations whose newest appended id is cached."""

_OWN: Final = frozenset({"conversation_id", "query", "query_vector", "expand"})


def read_options(budget_tokens: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Turnfold.context` for every read of a session.

    Raises `InvalidInput` for an option that differs from read to read.
    """
    if own := sorted(_OWN & options.keys()):
        raise InvalidInput(
            f"{own[0]} differs between reads, so it is not an option of the adapter",
            remedy="call `context` yourself where you need it",
        )
    return {**options, "budget_tokens": budget_tokens}


def checked_client(client: object, wanted: type[_Client]) -> _Client:
    """Return the client. Raises `InvalidInput` for a blocking client instead of an async one, or the reverse."""
    if isinstance(client, wanted):
        return client
    msg = f"this adapter needs {wanted.__name__}, not {type(client).__name__}: that is what its framework calls"
    raise InvalidInput(msg)


class LastAppended:
    """Caches the id of the newest turn or message appended to each recently used conversation.

    For any other conversation everything is sent again, which is idempotent: ids do not change.
    """

    def __init__(self) -> None:
        self._ids: NewestEntries[str, str] = NewestEntries(_REMEMBERED)

    def count(self, conversation_id: str, ids: Sequence[str | None]) -> int:
        """Return how many messages of a history, given by ids, are already appended; 0 if unknown."""
        newest = self._ids.get(conversation_id)
        if newest is None:
            return 0
        return next((place for place in range(len(ids), 0, -1) if ids[place - 1] == newest), 0)

    def note(self, conversation_id: str, ids: Sequence[str | None]) -> None:
        """Cache the last id of a history that was appended, if it has one."""
        if not ids or not ids[-1]:
            return
        self._ids[conversation_id] = ids[-1]


def identified(turns: Iterable[Mapping[str, Any]], message_id: str | None) -> Iterator[dict[str, Any]]:
    """Yield a new message's turns with the current time and its id; several turns get the id with a number."""
    numbered = list(turns)
    for number, turn in enumerate(numbered):
        suffix = f"-{number}" if len(numbered) > 1 else ""
        yield {**turn, **({"turn_id": f"{message_id}{suffix}"} if message_id else {}), "created_at": now()}


def turns_of(
    messages: Iterable[_Message], read: Callable[[_Message], Iterable[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the turns of a framework's messages, without empty ones, which models sometimes return.

    Raises `InvalidTurn` for a message that is not as its framework declares it.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        try:
            turns += filter(_says_something, read(message))
        except TurnfoldError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            # The message omits the error's text, which may quote the conversation.
            msg = f"a message of type {type(message).__name__} cannot be read ({type(error).__name__})"
            raise InvalidTurn(msg, remedy="use fields and values that JSON can represent") from error
    return turns


def _says_something(turn: Mapping[str, Any]) -> bool:
    return bool(turn["content"] or turn.get("tool_calls") or turn["role"] == "tool")


def shown_parts(content: Any, image: Callable[[str], _Part], text: Callable[[str], _Part]) -> Iterator[_Part]:
    """Yield a message's content in a framework's form: images by URL, text as text, anything else as a text label."""
    for part in [content] if isinstance(content, str) else content or ():
        if isinstance(part, Mapping) and part["type"] == "image_url":
            yield image(part["image_url"]["url"])
        elif words := project([part]):
            yield text(words)


def function_call(call_id: str | None, name: str, arguments: str) -> dict[str, Any]:
    """Return a tool call in OpenAI's form."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def arguments_of(text: str) -> dict[str, Any]:
    """Parse a call's arguments into an object; text that is no JSON object becomes its only argument."""
    arguments = object_in(text)
    return {"arguments": text} if arguments is None else arguments


def now() -> str:
    """Return the current time as ISO 8601: frameworks' messages have none, and contexts are better with one."""
    return datetime.now(UTC).isoformat()
