"""What all of them have in common: a conversation, how it is read, and when a message was added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from turnfold.contract.remembered import NewestEntries
from turnfold.errors import InvalidInput, InvalidTurn, TurnfoldError
from turnfold.wire.json_values import object_in
from turnfold.wire.projection import project

_Client = TypeVar("_Client")
_Message = TypeVar("_Message")
_Part = TypeVar("_Part")

_REMEMBERED: Final = 10_000
"""Conversations of which it is known what was appended last."""

_OWN: Final = frozenset({"conversation_id", "query", "query_vector", "expand"})


def read_options(budget_tokens: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `Turnfold.context` is given at every read of a session. Raises `InvalidInput`."""
    if own := sorted(_OWN & options.keys()):
        raise InvalidInput(f"{own[0]} changes from read to read", remedy="call `context` yourself where you need it")
    return {**options, "budget_tokens": budget_tokens}


def checked_client(client: object, wanted: type[_Client]) -> _Client:
    """The client that an adapter calls. Raises `InvalidInput` for one of the other kind, which would fail later."""
    if isinstance(client, wanted):
        return client
    msg = f"this adapter takes {wanted.__name__}, not {type(client).__name__}: its framework calls that one's methods"
    raise InvalidInput(msg)


class LastAppended:
    """Id of the newest turn or message that was appended to each of the conversations used of late.

    Of others all are sent again, which changes nothing: each has the same id each time.
    """

    def __init__(self) -> None:
        self._ids: NewestEntries[str, str] = NewestEntries(_REMEMBERED)

    def count(self, conversation_id: str, ids: Sequence[str | None]) -> int:
        """How many of a history, by their ids, were appended: up to the newest one; 0 where that is not known."""
        newest = self._ids.get(conversation_id)
        if newest is None:
            return 0
        return next((place for place in range(len(ids), 0, -1) if ids[place - 1] == newest), 0)

    def note(self, conversation_id: str, ids: Sequence[str | None]) -> None:
        """Remember the newest of a history that was appended, if it has an id."""
        if not ids or not ids[-1]:
            return
        self._ids[conversation_id] = ids[-1]


def identified(turns: Iterable[Mapping[str, Any]], message_id: str | None) -> Iterator[dict[str, Any]]:
    """The turns of a message that is added now, with its id where it has one; several have it with their number."""
    numbered = list(turns)
    for number, turn in enumerate(numbered):
        suffix = f"-{number}" if len(numbered) > 1 else ""
        yield {**turn, **({"turn_id": f"{message_id}{suffix}"} if message_id else {}), "created_at": now()}


def turns_of(
    messages: Iterable[_Message], read: Callable[[_Message], Iterable[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """The turns of a framework's messages, without those that say nothing: a model may answer so.

    Raises `InvalidTurn` for one that is not as its framework declares it.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        try:
            turns += filter(_says_something, read(message))
        except TurnfoldError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            # Without the error's text, in which words of the message may stand.
            msg = f"a message of type {type(message).__name__} cannot be read ({type(error).__name__})"
            raise InvalidTurn(msg, remedy="give it the fields, and those texts and numbers, that JSON has") from error
    return turns


def _says_something(turn: Mapping[str, Any]) -> bool:
    return bool(turn["content"] or turn.get("tool_calls") or turn["role"] == "tool")


def shown_parts(content: Any, image: Callable[[str], _Part], text: Callable[[str], _Part]) -> Iterator[_Part]:
    """A message's content in a framework's form: images by their URL, all else as text, or as a text labels it."""
    for part in [content] if isinstance(content, str) else content or ():
        if isinstance(part, Mapping) and part["type"] == "image_url":
            yield image(part["image_url"]["url"])
        elif words := project([part]):
            yield text(words)


def function_call(call_id: str | None, name: str, arguments: str) -> dict[str, Any]:
    """A call of a tool, as OpenAI has it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def arguments_of(text: str) -> dict[str, Any]:
    """A call's arguments, for frameworks that have them as an object; a model may have written anything."""
    arguments = object_in(text)
    return {"arguments": text} if arguments is None else arguments


def now() -> str:
    """When a message is added: frameworks' messages have no time, and contexts are better with one."""
    return datetime.now(UTC).isoformat()
