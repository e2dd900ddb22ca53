"""What is appended of a caller's message: the fields that a turn has, inside the size that one may have. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from turnfold.wire.encode import MAX_NAME_CHARACTERS
from turnfold.wire.projection import project

_FIELDS: Final = ("role", "content", "tool_calls", "tool_call_id", "refusal", "function_call", "audio")
_BESIDE_BYTES: Final = 4_096
"""Kept back of a turn's size for its role, time and names."""


def storable(message: Mapping[str, Any], *, max_bytes: int) -> dict[str, Any]:
    """A caller's message as a turn. Whatever clients and providers put beside it is left to the caller.

    Of one that is too large files and images become labels, and of its text both ends stay, with a line that says so.
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
        # Calls as long as that cannot be replayed; what they say can still be found.
        text = project(turn["content"], labelled.pop("tool_calls"))
        room = max_bytes - _BESIDE_BYTES
    return {**labelled, "content": _clipped(text, max(room, 0))}


def _size(content: Any) -> int:
    """Bytes of its JSON."""
    return len(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _clipped(text: str, most_bytes: int) -> str:
    """Both ends of a text whose JSON has at most so many bytes."""
    # At worst each character is six bytes of JSON, as an escape.
    if _size(text) <= most_bytes:
        return text
    line = "\n[… the proxy left out the middle of this message, which is larger than a turn may be …]\n"
    end = max(0, (most_bytes - len(line) - 4) // 12)
    return text[:end] + line + (text[-end:] if end else "")
