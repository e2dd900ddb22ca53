"""Render recent turns as OpenAI chat messages."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from turnfold.assemble.forms.chat import ChatBlock, ShownTurn, blocks_of, mappings
from turnfold.assemble.forms.content_parts import as_json, openai_parts
from turnfold.assemble.forms.seal import tool_note
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalikes import passes_for_role
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.speakers import label_of
from turnfold.wire.projection import project

Message = dict[str, Any]

_NOT_IN_NAMES: Final = lazy_pattern(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME: Final = 64


def openai_messages(system: str, record: str, chat: ChatBlock) -> list[Message]:
    """The system text as one message, the record as a user message, then the turns with their tool calls.

    The record is never part of the system text: a user's words must not come back as an operator's.
    """
    messages: list[Message] = [{"role": "system", "content": system}] if system else []
    messages += [{"role": "user", "content": record}] if record else []
    for turn in chat.turns:
        messages.extend(openai_turn(turn, chat.seal))
    return messages


def openai_turn(shown_turn: ShownTurn, seal: str) -> list[Message]:
    """Messages of one turn: usually one; none for an empty turn; several for Anthropic's joined tool results."""
    turn = shown_turn.turn
    if shown_turn.hidden:
        return []
    if shown_turn.native and turn.parts:
        return _with_parts(shown_turn, turn.parts, seal)
    if turn.role is Role.TOOL:
        return [_as_text(shown_turn, seal)]
    return [_message(shown_turn, shown_turn.content)] if shown_turn.content.strip() else []


def openai_name(turn: StoredTurn) -> str:
    """Speaker's name in the characters that OpenAI allows; empty if none are left or the name looks like a role."""
    role, sent_name = turn.sent_as
    name = _NOT_IN_NAMES.sub("_", label_of(sent_name, role)).strip("_")[:_LONGEST_NAME] if sent_name else ""
    return "" if passes_for_role(name.replace("_", " ")) else name


def _message(shown_turn: ShownTurn, content: object) -> Message:
    message: Message = {"role": str(shown_turn.turn.sent_as[0]), "content": content}
    if name := openai_name(shown_turn.turn):
        message["name"] = name
    return message


def _as_text(shown_turn: ShownTurn, seal: str) -> Message:
    """A tool result without its call, as a user message."""
    return {"role": "user", "content": tool_note(seal) + shown_turn.content}


def _with_parts(shown_turn: ShownTurn, parts: Mapping[str, Any], seal: str) -> list[Message]:
    turn = shown_turn.turn
    if turn.role is Role.TOOL and isinstance(parts.get("tool_call_id"), str):
        return [{"role": "tool", "tool_call_id": parts["tool_call_id"], "content": shown_turn.content}]
    results = [_result(block) for block in blocks_of(turn, "tool_result")]
    if turn.role is Role.TOOL and (shown_turn.marker is not None or not results):
        return [_as_text(shown_turn, seal)]
    if shown_turn.marker is not None:
        return [_message(shown_turn, shown_turn.content)]
    sender, _ = turn.sent_as
    if sender is Role.TOOL:
        return results
    calls = _calls(shown_turn)
    given = parts.get("content", None if calls else shown_turn.content)
    spoken_parts = _said(openai_parts(given, images=sender is Role.USER))
    if calls:
        return [{**_message(shown_turn, spoken_parts), "tool_calls": calls}]
    return [*results, _message(shown_turn, spoken_parts)] if spoken_parts else results


def _said(parts: list[Message]) -> object:
    """Plain text as a string, else the parts; None for empty content."""
    if any(part["type"] != "text" for part in parts):
        return parts
    return "\n".join(part["text"] for part in parts) or None


def _calls(shown_turn: ShownTurn) -> list[Message]:
    if shown_turn.turn.role is not Role.ASSISTANT:
        return []
    given = [_call(call) for call in mappings((shown_turn.turn.parts or {}).get("tool_calls"))]
    for block in blocks_of(shown_turn.turn, "tool_use"):
        function = {"name": str(block.get("name", "tool")), "arguments": as_json(block.get("input") or {})}
        given.append({"id": block.get("id"), "type": "function", "function": function})
    return given


def _call(given: Mapping[str, Any]) -> Message:
    """Convert a call to OpenAI's form: other servers omit its type, give its arguments as an object, or number it."""
    # The call's place in a stream, which some servers reject in a request.
    call = {key: copy.deepcopy(value) for key, value in given.items() if key != "index"}
    if isinstance(function := call.get("function"), dict):
        call.setdefault("type", "function")
        if not isinstance(function.get("arguments"), str):
            function["arguments"] = as_json(function.get("arguments") or {})
    return call


def _result(block: Mapping[str, Any]) -> Message:
    return {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": project(block.get("content"))}
