"""A caller's own redaction: texts are given to it before anything leaves the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from turnfold.errors import InvalidInput

Redact = Callable[[str], str]
"""Gives a text without what must not be stored."""

_STRUCTURE: Final = frozenset(
    {
        "role", "turn_id", "importance", "created_at", "type", "id", "call_id", "tool_call_id", "tool_use_id",
        "media_type", "data", "mimetype", "format",
    }
)  # fmt: skip
"""Fields that hold no words: ids, kinds, times, and the bytes of a picture."""


def redacted(value: Any, redact: Redact) -> Any:
    """The same value with each text in it as `redact` gives it. Raises `InvalidInput` for what that does wrong."""
    if isinstance(value, str):
        return _text(value, redact)
    if isinstance(value, Mapping):
        return {
            key: inner if key in _STRUCTURE and isinstance(inner, str) else redacted(inner, redact)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redacted(inner, redact) for inner in value]
    dump = getattr(value, "model_dump", None)
    return redacted(dump(exclude_none=True), redact) if callable(dump) else value


def _text(text: str, redact: Redact) -> str:
    try:
        found: object = redact(text)
    except Exception as error:
        # Without its words, which may hold the text.
        msg = f"redact failed with {type(error).__name__}: nothing was stored"
        raise InvalidInput(msg) from error
    if not isinstance(found, str):
        msg = f"redact must return a text, not {type(found).__name__}: nothing was stored"
        raise InvalidInput(msg)
    return found
