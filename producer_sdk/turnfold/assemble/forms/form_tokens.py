"""Token cost of a form: 4 tokens a message, its text, and the JSON of other content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.assemble.forms.content_parts import IMAGE_TYPES, TEXT_TYPES, as_json
from turnfold.tokens import IMAGE_TOKENS, MESSAGE_TOKENS, TokenCount
from turnfold.wire.projection import kind_of


def request_tokens(request: Mapping[str, Any], count: TokenCount) -> int:
    """Tokens of `Context.request(…)` in the OpenAI or Anthropic form."""
    system = request.get("system")
    total = MESSAGE_TOKENS + content_tokens(system, count) if system else 0
    return total + messages_tokens(request["messages"], count)


def messages_tokens(messages: Iterable[Mapping[str, Any]], count: TokenCount) -> int:
    """Tokens of messages in the OpenAI or Anthropic form."""
    return sum(MESSAGE_TOKENS + _message(message, count) for message in messages)


def _message(message: Mapping[str, Any], count: TokenCount) -> int:
    total = content_tokens(message.get("content"), count)
    for key in ("name", "tool_call_id"):
        if key in message:
            total += count(str(message[key]))
    if "tool_calls" in message:
        total += count(as_json(message["tool_calls"]))
    return total


def content_tokens(content: object, count: TokenCount) -> int:
    """Tokens of a message's content: text, or parts."""
    if content is None:
        return 0
    if isinstance(content, str):
        return count(content)
    if isinstance(content, (list, tuple)):
        return sum(part_tokens(part, count) for part in content)
    return count(as_json(content))


def part_tokens(part: object, count: TokenCount) -> int:
    """Tokens of one content part; an image has a fixed price."""
    if not isinstance(part, Mapping):
        return count(str(part))
    kind = kind_of(part)
    if kind in TEXT_TYPES:
        return count(str(part.get("text", "")))
    if kind in IMAGE_TYPES:
        return IMAGE_TOKENS
    if kind == "tool_result":
        return count(str(part.get("tool_use_id"))) + content_tokens(part.get("content"), count)
    return count(as_json(part))
