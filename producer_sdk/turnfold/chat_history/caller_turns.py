"""Read a caller's messages as turns, in the form of chat completions or of Responses. Pure.

Items are the elements of the caller's list: chat messages, or input items. A turn covers one or more of them: in
Responses, parallel calls are separate items, and reasoning belongs to the item after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from turnfold.wire.projection import kind_of

Item = dict[str, Any]
Api = Literal["chat", "responses"]

_OPERATORS: Final = frozenset({"system", "developer"})
_SPEAKERS: Final = frozenset({"user", "assistant", "tool", "function"})
_CALLS: Final[Mapping[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}
"""Kinds of items that are calls, and the fields of their arguments."""
_ANSWER: Final = ("content", "refusal", "tool_calls", "function_call")
"""Fields of a chat completion's message that are stored."""
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_UNSEEN: Final = frozenset({"reasoning", "item_reference", "compaction"})
"""Kinds of items that have a meaning only for the provider."""
OWN_COMPACTION: Final = "cmp_turnfold_"
"""Id prefix of our own compaction items, whose content is readable."""


class UnreadableRequest(Exception):  # noqa: N818 - what a caller sent, passed on for its provider to judge
    """A request body does not have the endpoint's form; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class CallerTurn:
    """One turn of the caller's list."""

    message: Item
    """The turn as a chat message, which is the form that is appended."""
    first: int
    """Index of the turn's first item."""
    end: int
    """Index after the turn's last item."""


@dataclass(frozen=True, slots=True)
class CallerHistory:
    """A caller's list of items."""

    items: tuple[Item, ...]
    turns: tuple[CallerTurn, ...]
    operators: tuple[int, ...]
    """Indexes of system and developer messages, which are no turns: the caller sends them at each call. A provider's
    own compaction, which is opaque to us, is forwarded like them."""

    @property
    def system(self) -> list[Item]:
        """System and developer messages, from any position."""
        return [self.items[place] for place in self.operators]


def read_history(body: Mapping[str, Any], api: Api) -> CallerHistory:
    """Read the turns of a request's body. Raises `UnreadableRequest`."""
    return _read_chat(body.get("messages")) if api == "chat" else _read_responses(body.get("input"))


def messages_of_items(items: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Convert items of Responses, input or output, to chat messages; consecutive calls become one message."""
    return [turn.message for turn in _turns_of_items([dict(item) for item in items])[0]]


def items_of_messages(messages: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Convert chat messages to input items of Responses."""
    return [item for message in messages for item in _items_of(message)]


def answer_message(message: Mapping[str, Any]) -> Item:
    """Return a provider's chat message as it is appended: its content and calls, without other fields."""
    return {"role": "assistant", "content": None, **{key: message[key] for key in _ANSWER if message.get(key)}}


def says_something(message: Mapping[str, Any]) -> bool:
    """Whether a message has any content and so is a turn: some clients keep empty messages."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return True
    if isinstance(content, (list, tuple)) and any(_has_words(part) for part in content):
        return True
    beside = (message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio"))
    return message.get("role") in {"tool", "function"} or any(beside)


def _has_words(part: object) -> bool:
    if not isinstance(part, Mapping):
        return bool(part)
    if kind_of(part) in {"text", "input_text", "output_text"}:
        return bool(str(part.get("text") or "").strip())
    return True


def _read_chat(messages: object) -> CallerHistory:
    items = _checked_items(messages, "messages")
    turns: list[CallerTurn] = []
    operators: list[int] = []
    first = 0
    for place, message in enumerate(items):
        role = _role_of(message)
        if role in _OPERATORS:
            operators.append(place)
            continue
        if role not in _SPEAKERS:
            raise UnreadableRequest(f"messages[{place}] has no known role")
        if says_something(message):
            turns.append(CallerTurn(message, _behind(turns, first), place + 1))
    return CallerHistory(tuple(items), tuple(turns), tuple(operators))


def _behind(turns: Sequence[CallerTurn], first: int) -> int:
    return turns[-1].end if turns else first


def _read_responses(given: object) -> CallerHistory:
    if isinstance(given, str):
        given = [{"role": "user", "content": given}] if given else []
    items = _checked_items([] if given is None else given, "input")
    # A compaction replaces the items before it; the items after it are the history.
    begin = max((place for place, item in enumerate(items) if item.get("type") == "compaction"), default=-1) + 1
    turns, operators = _turns_of_items(items[begin:], begin)
    kept_places = [place for place, item in enumerate(items[:begin]) if _is_kept_before(item)]
    return CallerHistory(tuple(map(opened_compaction, items)), tuple(turns), (*kept_places, *operators))


def opened_compaction(item: Item) -> Item:
    """Return our own compaction item as a user message, which any provider's model can read; others unchanged."""
    if not is_own_compaction(item):
        return item
    return {"type": "message", "role": "user", "content": str(item.get("encrypted_content") or "")}


def is_own_compaction(item: Mapping[str, Any]) -> bool:
    """Whether an item is one of our own compactions."""
    return item.get("type") == "compaction" and str(item.get("id")).startswith(OWN_COMPACTION)


def _is_kept_before(item: Mapping[str, Any]) -> bool:
    kind = item.get("type") or "message"
    if kind == "compaction":
        return not is_own_compaction(item)
    return kind == "message" and _role_of(item) in _OPERATORS


def _role_of(item: Mapping[str, Any]) -> str | None:
    role = item.get("role")
    return role if isinstance(role, str) else None


def _checked_items(given: object, name: str) -> list[Item]:
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise UnreadableRequest(f"{name} is not a list of objects")
    return given


def _turns_of_items(items: Sequence[Item], begin: int = 0) -> tuple[list[CallerTurn], list[int]]:
    """Return the turns of items, and the indexes of operators' messages; `begin` is the first item's index."""
    turns: list[CallerTurn] = []
    operators: list[int] = []
    calls: list[Item] = []
    calls_end = 0

    def close_calls() -> None:
        if calls:
            message = {"role": "assistant", "content": None, "tool_calls": list(calls)}
            turns.append(CallerTurn(message, _behind(turns, begin), calls_end))
            calls.clear()

    for place, item in enumerate(items, start=begin):
        kind = str(item.get("type") or "message")
        if kind in _CALLS:
            calls.append(_call_of(item, _CALLS[kind]))
            calls_end = place + 1
        elif kind == "message" and _role_of(item) in _OPERATORS:
            operators.append(place)
        elif kind not in _UNSEEN:
            close_calls()
            if says_something(message := _message_of(item, kind)):
                turns.append(CallerTurn(message, _behind(turns, begin), place + 1))
    close_calls()
    return turns, operators


def _call_of(item: Mapping[str, Any], arguments: str) -> Item:
    function = {"name": item.get("name"), "arguments": item.get(arguments)}
    return {"id": item.get("call_id"), "type": "function", "function": function}


def _message_of(item: Mapping[str, Any], kind: str) -> Item:
    """Convert an item that is no call to a chat message."""
    if kind in _RESULTS:
        return {"role": "tool", "content": item.get("output"), "tool_call_id": str(item.get("call_id"))}
    if kind == "message":
        if _role_of(item) not in _SPEAKERS:
            raise UnreadableRequest("an input item has no known role")
        return {"role": item["role"], "content": item.get("content")}
    # The work of a hosted tool: shown by its kind, stored whole.
    return {"role": "assistant", "content": [dict(item)]}


def _items_of(message: Mapping[str, Any]) -> Iterable[Item]:
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    if content := message.get("content"):
        parts = content if isinstance(content, str) else [input_part(part, message["role"]) for part in content]
        yield {"type": "message", "role": message["role"], "content": parts}
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield {
            "type": "function_call", "call_id": call["id"], "name": function["name"],
            "arguments": function["arguments"],
        }  # fmt: skip


def input_part(part: Mapping[str, Any], role: str) -> Item:
    """Convert a content part of a chat message with a role to the form of Responses."""
    match part.get("type"):
        case "text":
            return {"type": "output_text" if role == "assistant" else "input_text", "text": part["text"]}
        case "image_url":
            image = part["image_url"]
            return {"type": "input_image", "image_url": image["url"], "detail": image.get("detail", "auto")}
        case "file":
            return {"type": "input_file", **part["file"]}
        case _:
            return dict(part)
