"""Convert content parts of a message from either provider's form into the other's.

A part that a form cannot hold becomes its label in the text projection, such as `[audio]`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any, Final

from turnfold.wire.json_values import object_in
from turnfold.wire.projection import kind_of, project

TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text"})
IMAGE_TYPES: Final = frozenset({"image", "image_url", "input_image"})
TOOL_TYPES: Final = frozenset({"tool_use", "tool_result"})

THOUGHT_TYPES: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})


def openai_parts(content: object, *, images: bool) -> list[dict[str, Any]]:
    """Content as OpenAI parts, without tool blocks and thoughts. `images` is false for roles that only hold text."""
    parts: list[dict[str, Any]] = []
    for part in _listed(content):
        kind = kind_of(part)
        if kind in TOOL_TYPES or kind in THOUGHT_TYPES:
            continue
        image = _openai_image(part) if images and isinstance(part, Mapping) and kind in IMAGE_TYPES else None
        if image is not None:
            parts.append(image)
        elif images and isinstance(part, Mapping) and kind in {"input_audio", "file"} and kind in part:
            parts.append({"type": kind, str(kind): copy.deepcopy(part[str(kind)])})
        elif text := project(part):
            parts.append({"type": "text", "text": text})
    return parts


def anthropic_blocks(content: object, *, images: bool) -> list[dict[str, Any]]:
    """Content as Anthropic blocks, without tool blocks and unsigned thoughts.

    `images` is false for the assistant's own messages.
    """
    blocks: list[dict[str, Any]] = []
    for part in _listed(content):
        kind = kind_of(part)
        if kind in TOOL_TYPES:
            continue
        if isinstance(part, Mapping) and kind in THOUGHT_TYPES:
            if not images and (kind == "redacted_thinking" or part.get("signature")):
                blocks.append(replayed(part))
            continue
        image = _anthropic_image(part) if images and isinstance(part, Mapping) and kind in IMAGE_TYPES else None
        if image is not None:
            blocks.append(image)
        elif images and isinstance(part, Mapping) and kind == "document":
            blocks.append(replayed(part))
        elif (text := project(part)).strip():
            blocks.append({"type": "text", "text": text})
    return blocks


def replayed(block: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a block without its `cache_control`: a request may have four such marks, and sets them itself.

    Blank texts inside it, such as a tool's empty result, are left out: Anthropic rejects them.
    """
    kept = {key: copy.deepcopy(value) for key, value in block.items() if key != "cache_control"}
    if isinstance(inner := kept.get("content"), list):
        kept["content"] = [
            replayed(part) if isinstance(part, Mapping) else part for part in inner if not _is_blank_text(part)
        ]
    return kept


def _is_blank_text(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "text" and not str(part.get("text") or "").strip()


def as_json(value: object) -> str:
    """Serialize to JSON, as it is counted and as tool arguments are sent."""
    return json.dumps(value, ensure_ascii=False, default=str)


def arguments_object(arguments: object) -> dict[str, Any]:
    """A tool call's arguments as the object that Anthropic requires."""
    if isinstance(arguments, str):
        given = object_in(arguments)
        return {"arguments": arguments} if given is None else given
    if isinstance(arguments, Mapping):
        return copy.deepcopy(dict(arguments))
    return {} if arguments is None else {"arguments": arguments}


def _listed(content: object) -> list[object]:
    if content is None:
        return []
    return list(content) if isinstance(content, (list, tuple)) else [content]


def _openai_image(part: Mapping[str, Any]) -> dict[str, Any] | None:
    match part:
        case {"type": "image_url", "image_url": Mapping() as image}:
            return {"type": "image_url", "image_url": copy.deepcopy(dict(image))}
        case {"type": "image_url" | "input_image", "image_url": str(url)}:
            return {"type": "image_url", "image_url": {"url": url}}
        case {"type": "image", "source": {"type": "base64", "media_type": str(media), "data": str(data)}}:
            return {"type": "image_url", "image_url": {"url": f"data:{media};base64,{data}"}}
        case {"type": "image", "source": {"type": "url", "url": str(url)}}:
            return {"type": "image_url", "image_url": {"url": url}}
        case _:
            return None


def _anthropic_image(part: Mapping[str, Any]) -> dict[str, Any] | None:
    match part:
        case {"type": "image", "source": Mapping() as source}:
            return {"type": "image", "source": copy.deepcopy(dict(source))}
        case {"image_url": {"url": str(url)}} | {"image_url": str(url)}:
            head, comma, encoded = url.partition(";base64,")
            if comma and head.startswith("data:"):
                source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": encoded}
            else:
                source = {"type": "url", "url": url}
            return {"type": "image", "source": source}
        case _:
            return None
