"""Read the `conversations.json` of a ChatGPT export: a tree of messages, of which the current branch is imported."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from turnfold.errors import InvalidInput
from turnfold.wire.json_values import json_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_UNSAID: Final = frozenset({"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"})
"""Content types that are not messages between the user and the assistant."""


def is_chatgpt_conversation(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is a conversation of a ChatGPT export."""
    return isinstance(value.get("mapping"), dict)


def chatgpt_turns(conversation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages on the current branch, oldest first; empty and hidden ones are left out.

    Raises `InvalidInput` for a malformed message.
    """
    return [turn for node in _branch(conversation) if (turn := _turn(node)) is not None]


def _branch(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    mapping: Mapping[str, Any] = conversation["mapping"]
    current = conversation.get("current_node") or _newest_leaf(mapping)
    branch: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    # A damaged export may contain a cycle.
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        node = mapping[current] if isinstance(mapping[current], dict) else {}
        branch.append(node)
        current = node.get("parent")
    return branch[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    leaves = [key for key, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
    return max(leaves, key=lambda key: (_seconds(_message(mapping[key])) or 0.0, key), default=None)


def _message(node: Mapping[str, Any]) -> Mapping[str, Any]:
    message = node.get("message")
    return message if isinstance(message, dict) else {}


def _seconds(message: Mapping[str, Any]) -> float | None:
    """Return when the message was written, in seconds since 1970; None when unknown."""
    seconds = message.get("create_time")
    return seconds if isinstance(seconds, (int, float)) else None


def _turn(node: Mapping[str, Any]) -> dict[str, Any] | None:
    message = _message(node)
    author, content, metadata = (_object(message, name) for name in ("author", "content", "metadata"))
    role = author.get("role")
    # Checked first, because a value of another type may not be hashable.
    if not isinstance(role, str) or role not in _ROLES or metadata.get("is_visually_hidden_from_conversation"):
        return None
    words = None if str(content.get("content_type")) in _UNSAID else _content(content)
    if not words:
        return None
    turn = {"role": role, "content": words}
    if isinstance(message.get("id"), str):
        turn["turn_id"] = message["id"]
    if role == "tool" and isinstance(author.get("name"), str):
        turn["name"] = author["name"]
    if (seconds := _seconds(message)) is not None:
        turn["created_at"] = _time(message, seconds)
    return turn


def _object(message: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = message.get(name)
    if not isinstance(given, dict | None):
        raise InvalidInput(f"message {message.get('id')!r}: its {name} must be an object, not {json_kind(given)}")
    return given or {}


def _time(message: Mapping[str, Any], seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError) as error:
        msg = f"message {message.get('id')!r}: its create_time is not a valid time"
        raise InvalidInput(msg) from error


def _content(content: Mapping[str, Any]) -> str | list[dict[str, Any]]:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return str(content.get("text") or content.get("result") or "").strip()
    if all(isinstance(part, str) for part in parts):
        return "\n".join(part for part in parts if part).strip()
    return [shown_part for part in parts if (shown_part := _part(part)) is not None]


def _part(part: object) -> dict[str, Any] | None:
    if isinstance(part, str):
        return {"type": "text", "text": part} if part.strip() else None
    if not isinstance(part, dict):
        return None
    kind = str(part.get("content_type", "part"))
    return {**part, "type": "image" if kind.startswith("image") else kind}
