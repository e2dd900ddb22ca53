"""Convert a caller's message to a turn: only a turn's fields, within the size limit. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from turnfold.wire.encode import MAX_NAME_CHARACTERS
from turnfold.wire.projection import project

_FIELDS: Final = ("role", "content", "tool_calls", "tool_call_id", "refusal", "function_call", "audio")
_BESIDE_BYTES: Final = 4_096
"""Bytes of a turn's size reserved for its role, time and names."""


def storable(message: Mapping[str, Any], *, max_bytes: int) -> dict[str, Any]:
    """Convert a caller's message to a turn, without fields that only clients and providers use.

    In a message that is too large, files and images become labels, and the middle of the text is replaced by a line
    that says so.
    """
    turn = {name: message[name] for name in _FIELDS if message.get(name) is not None}
    turn.setdefault("content", None)
    name = message.get("name")
    if isinstance(name, str) and len(name) <= MAX_NAME_CHARACTERS and turn.get("role") in {"user", "assistant"}:
        turn["name"] = name
    if _size(turn) <= max_bytes - _BESIDE_BYTES:
        return turn
    labelled = {key: value for key, value in turn.items() if key not in {"audio", "content"}}
    text = project(turn["content"])
    room = max_bytes - _BESIDE_BYTES - _size(labelled)
    if room < _BESIDE_BYTES and "tool_calls" in labelled:
        # Calls of that length cannot be replayed, but their text can still be found.
        text = project(turn["content"], labelled.pop("tool_calls"))
        room = max_bytes - _BESIDE_BYTES
    return {**labelled, "content": _clipped(text, max(room, 0))}


def _size(content: Any) -> int:
    """Return the size as JSON, in bytes."""
    return len(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _clipped(text: str, most_bytes: int) -> str:
    """Return both ends of a text, with at most `most_bytes` bytes as JSON."""
    # At worst each character is six bytes of JSON, as an escape.
    if _size(text) <= most_bytes:
        return text
    line = "\n[… the proxy left out the middle of this message, which is larger than a turn may be …]\n"
    end = max(0, (most_bytes - len(line) - 4) // 12)
    return text[:end] + line + (text[-end:] if end else "")
