"""Projection of a provider's message to text, the input of levels, anchors and search. Pure.

Offsets of anchors refer to the projection, so it must not change for turns that are stored already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

_LABELS: Final[Mapping[str, str]] = {
    "image_url": "image", "input_image": "image", "input_audio": "audio",
    "thinking": "reasoning", "redacted_thinking": "reasoning",
}  # fmt: skip
"""Labels of parts with provider-specific types; all others are labelled by their type."""


def project(content: object, tool_calls: Iterable[object] = ()) -> str:
    """Project a message to text: words verbatim, everything else as a short label such as `[image]`."""
    pieces = [_content_text(content)]
    pieces.extend(_call_text(call) for call in tool_calls)
    return "\n".join(piece for piece in pieces if piece)


def kind_of(part: object) -> str | None:
    """Return a content part's type; None if missing or not a string."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    return kind if isinstance(kind, str) else None


def _content_text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _part_text(content)
    if isinstance(content, Iterable):
        return "\n".join(text for text in (_part_text(part) for part in content) if text)
    return str(content)


def _part_text(part: object) -> str:  # noqa: PLR0911 - one return a type reads best
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return str(part)
    kind = str(part.get("type", "part"))
    match kind:
        case "text" | "input_text" | "output_text":
            return str(part.get("text") or "")
        case "refusal":
            return str(part.get("refusal") or "")
        case "tool_use":
            return call_line(part.get("name"), part.get("input"))
        case "tool_result":
            return _content_text(part.get("content"))
        case "file" | "document" | "input_file":
            return _file_label(part)
        case _:
            return f"[{_LABELS.get(kind, kind)}]"


def _file_label(part: Mapping[str, Any]) -> str:
    inner = part.get("file")
    named = inner if isinstance(inner, Mapping) else part
    name = named.get("filename") or named.get("title") or named.get("name")
    return f"[file {name}]" if name else "[file]"


def _call_text(call: object) -> str:
    if not isinstance(call, Mapping):
        return str(call)
    for kind in ("function", "custom"):
        inner = call.get(kind)
        if isinstance(inner, Mapping):
            return call_line(inner.get("name"), inner.get("arguments", inner.get("input")))
    return call_line(call.get("name"), call.get("arguments", call.get("input")))


def call_line(name: object, arguments: object) -> str:
    """Format a tool call on one line: `[call run_command {"command": "pytest"}]`."""
    if isinstance(arguments, Mapping):
        listed = ", ".join(f"{key}={argument!r}" for key, argument in arguments.items())
    else:
        listed = str(arguments or "")
    return f"[call {name or 'tool'} {listed}]" if listed else f"[call {name or 'tool'}]"
