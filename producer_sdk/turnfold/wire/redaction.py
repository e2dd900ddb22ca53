"""The caller's redaction, applied to texts before anything leaves the process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.wire.json_values import changed_texts

Redact = Callable[[str], str]
"""Removes from a text what must not be stored."""

ENTRY_POINTS: Final = "turnfold.redactors"
"""The entry point group in which packages register redactors by name."""

_STRUCTURE: Final = frozenset(
    {
        "role", "turn_id", "importance", "created_at", "type", "id", "call_id", "tool_call_id", "tool_use_id",
        "media_type", "mimetype", "format",
    }
)  # fmt: skip
"""Fields without words: ids, types, times."""
_FREE: Final = frozenset({"metadata", "input", "args", "arguments"})
"""Fields whose inner names are the caller's or a tool's own: an `id` in them may contain words."""
_BASE64: Final = lazy_pattern(r"[A-Za-z0-9+/_-]+(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}(?:\r?\n)?")
_LINE_BREAKS: Final = str.maketrans("", "", "\r\n")
_GROUP: Final = 4
"""Characters of base64 that are encoded together."""


def load_redactor(name: str) -> Redact:
    """Load the redactor that a package registers under a name. Raises `InvalidSettings`, listing the known names."""
    from importlib.metadata import entry_points

    offered = {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINTS)}
    if name not in offered:
        known = f"installed: {', '.join(sorted(offered))}" if offered else "none is installed in this environment"
        msg = f"TURNFOLD_REDACTOR={name}: no package provides this {ENTRY_POINTS} entry point; {known}"
        raise InvalidSettings(msg)
    try:
        loaded = offered[name].load()
    except Exception as error:
        msg = f"TURNFOLD_REDACTOR={name} cannot be imported ({type(error).__name__}: {error})"
        raise InvalidSettings(msg, remedy="fix its package") from error
    if not callable(loaded):
        msg = f"TURNFOLD_REDACTOR={name} is not a callable that takes text and returns text"
        raise InvalidSettings(msg, remedy="fix its package")
    redact: Redact = loaded
    return redact


def redacted(value: Any, redact: Redact) -> Any:
    """Apply `redact` to each text in a value, but not to keys, numbers, ids or encoded images.

    In metadata and in arguments of calls, every text is redacted. Raises `InvalidInput` for a failure of `redact`,
    `InvalidTurn` for a value that is nested too deep.
    """
    return changed_texts(value, partial(_changed, redact), free=_FREE)


def _changed(redact: Redact, text: str, field: str, beside: Mapping[str, Any]) -> str:
    if field in _STRUCTURE or (field == "data" and _is_encoded(beside) and _is_base64(text)):
        return text
    # Arguments of a call are JSON in a string, in which the words may be escaped.
    return _arguments(redact, text) if field == "arguments" else _text(redact, text)


def _is_base64(text: str) -> bool:
    return bool(_BASE64.fullmatch(text)) and len(text.translate(_LINE_BREAKS)) % _GROUP == 0


def _is_encoded(beside: Mapping[str, Any]) -> bool:
    """Whether the `data` next to these fields is encoded binary, not the text of a document."""
    kind = beside.get("media_type", beside.get("mimetype", "text/plain"))
    return beside.get("type") == "base64" or "format" in beside or not str(kind).startswith("text/")


def _arguments(redact: Redact, text: str) -> str:
    names: list[str] = []

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names.extend(name for name, _ in pairs)
        return dict(pairs)

    try:
        given = json.loads(text, object_pairs_hook=read)
    except (ValueError, RecursionError):
        return _text(redact, text)
    changed = changed_texts(given, lambda inner, _field, _beside: _text(redact, inner))
    # Parsing drops all but the last value of a repeated key: the text must be rebuilt, or the others stay unredacted.
    is_whole = len(names) == _count_of_names(given)
    return text if is_whole and changed == given else json.dumps(changed, ensure_ascii=False)


def _count_of_names(value: object) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_of_names, value.values()))
    return sum(map(_count_of_names, value)) if isinstance(value, list) else 0


def _text(redact: Redact, text: str) -> str:
    try:
        replaced: object = redact(text)
    except Exception as error:  # noqa: BLE001 - it is the caller's
        msg = f"redact failed with {type(error).__name__}: nothing was stored"
        # Suppress the message and the cause, which may contain the text.
        raise InvalidInput(msg) from None
    if not isinstance(replaced, str):
        raise InvalidInput(f"redact must return text, not {type(replaced).__name__}: nothing was stored")
    return replaced
