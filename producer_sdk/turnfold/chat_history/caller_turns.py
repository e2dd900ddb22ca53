"""What a caller sent, as turns: which of its items are whose words, in chat completions' form or in Responses'. Pure.

Items are what the caller's list holds: chat messages, or input items. A turn covers one or several of them: in
Responses calls that a model makes at once are items of their own, and reasoning belongs to what follows it.
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
"""Kinds of items that are calls, and where their arguments stand."""
_ANSWER: Final = ("content", "refusal", "tool_calls", "function_call")
"""Fields of a chat completion's message that are kept."""
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_UNSEEN: Final = frozenset({"reasoning", "item_reference", "compaction"})
"""Kinds that mean something to the provider alone."""
OWN_COMPACTION: Final = "cmp_turnfold_"
"""Begins the id of a compaction item that we made, whose content is readable."""


class UnreadableRequest(Exception):  # noqa: N818 - what a caller sent, passed on for its provider to judge
    """A body that is not what the endpoint takes; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class CallerTurn:
    """One turn of the caller's list."""

    message: Item
    """As a chat message, which is what is appended."""
    first: int
    """Place of the first item that belongs to it."""
    end: int
    """Place behind the last one."""


@dataclass(frozen=True, slots=True)
class CallerHistory:
    """A caller's list of items."""

    items: tuple[Item, ...]
    turns: tuple[CallerTurn, ...]
    operators: tuple[int, ...]
    """Places of system and developer messages, which are no turns: the caller sends them at each call. A provider's
    compaction, which only it can read, is forwarded like them."""

    @property
    def system(self) -> list[Item]:
        """System and developer messages, wherever they stand."""
        return [self.items[place] for place in self.operators]


def read_history(body: Mapping[str, Any], api: Api) -> CallerHistory:
    """The turns of a request's body. Raises `UnreadableRequest`."""
    return _read_chat(body.get("messages")) if api == "chat" else _read_responses(body.get("input"))


def messages_of_items(items: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Responses' items, input or output, as chat messages: calls that follow each other are one message."""
    return [turn.message for turn in _turns_of_items([dict(item) for item in items])[0]]


def items_of_messages(messages: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Chat messages as Responses' input items."""
    return [item for message in messages for item in _items_of(message)]


def answer_message(message: Mapping[str, Any]) -> Item:
    """A provider's chat message as it is appended: what it says, without what stands beside it."""
    return {"role": "assistant", "content": None, **{key: message[key] for key in _ANSWER if message.get(key)}}


def says_something(message: Mapping[str, Any]) -> bool:
    """Whether a message is a turn: some clients keep empty ones."""
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
            raise UnreadableRequest(f"messages[{place}] has no role that is known")
        if says_something(message):
            turns.append(CallerTurn(message, _behind(turns, first), place + 1))
    return CallerHistory(tuple(items), tuple(turns), tuple(operators))


def _behind(turns: Sequence[CallerTurn], first: int) -> int:
    return turns[-1].end if turns else first


def _read_responses(given: object) -> CallerHistory:
    if isinstance(given, str):
        given = [{"role": "user", "content": given}] if given else []
    items = _checked_items([] if given is None else given, "input")
    # What stands before a compaction was told already: what follows it is the history.
    begin = max((place for place, item in enumerate(items) if item.get("type") == "compaction"), default=-1) + 1
    turns, operators = _turns_of_items(items[begin:], begin)
    kept_places = [place for place, item in enumerate(items[:begin]) if _is_kept_before(item)]
    return CallerHistory(tuple(map(opened_compaction, items)), tuple(turns), (*kept_places, *operators))


def opened_compaction(item: Item) -> Item:
    """A compaction item that we made as a message of the user's, which any provider's model reads."""
    if not is_own_compaction(item):
        return item
    return {"type": "message", "role": "user", "content": str(item.get("encrypted_content") or "")}


def is_own_compaction(item: Mapping[str, Any]) -> bool:
    """Whether an item is a compaction that we made."""
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
    """The turns of items of which the first one has the place `begin`, and the places of operators' messages."""
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
    """An item that is no call as a chat message."""
    if kind in _RESULTS:
        return {"role": "tool", "content": item.get("output"), "tool_call_id": str(item.get("call_id"))}
    if kind == "message":
        if _role_of(item) not in _SPEAKERS:
            raise UnreadableRequest("an item of input has no role that is known")
        return {"role": item["role"], "content": item.get("content")}
    # A hosted tool's work: shown by its kind, kept whole.
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
    """A part of a chat message of a role, as Responses has it."""
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
