"""A caller's own redaction: texts are given to it before anything leaves the process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.wire.json_values import changed_texts

Redact = Callable[[str], str]
"""Gives a text without what must not be stored."""

ENTRY_POINTS: Final = "turnfold.redactors"
"""The group of entry points in which packages offer redactors by name."""

_STRUCTURE: Final = frozenset(
    {
        "role", "turn_id", "importance", "created_at", "type", "id", "call_id", "tool_call_id", "tool_use_id",
        "media_type", "mimetype", "format",
    }
)  # fmt: skip
"""Fields that hold no words: ids, kinds, times."""
_FREE: Final = frozenset({"metadata", "input", "args", "arguments"})
"""Fields whose inner names are the caller's or a tool's own: an `id` in them may be a word."""
_BASE64: Final = lazy_pattern(r"[A-Za-z0-9+/_=\s-]*")


def load_redactor(name: str) -> Redact:
    """The redactor that a package offers under a name. Raises `InvalidSettings`, saying what there is or is wrong."""
    from importlib.metadata import entry_points

    offered = {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINTS)}
    if name not in offered:
        known = f"there are {', '.join(sorted(offered))}" if offered else "none is installed in this environment"
        msg = f"TURNFOLD_REDACTOR={name}: no package offers it as an entry point of {ENTRY_POINTS}; {known}"
        raise InvalidSettings(msg)
    try:
        loaded = offered[name].load()
    except Exception as error:
        msg = f"TURNFOLD_REDACTOR={name} cannot be imported ({type(error).__name__}: {error})"
        raise InvalidSettings(msg, remedy="repair its package") from error
    if not callable(loaded):
        msg = f"TURNFOLD_REDACTOR={name} is no callable that takes a text and gives one"
        raise InvalidSettings(msg, remedy="repair its package")
    redact: Redact = loaded
    return redact


def redacted(value: Any, redact: Redact) -> Any:
    """The same value with each text in it as `redact` gives it; neither keys nor numbers, ids or bytes of pictures.

    Of metadata and of a call's arguments every text. Raises `InvalidInput` for what `redact` does wrong, `InvalidTurn`
    for what is nested too deep.
    """
    return changed_texts(value, partial(_changed, redact), free=_FREE)


def _changed(redact: Redact, text: str, field: str, beside: Mapping[str, Any]) -> str:
    if field in _STRUCTURE or (field == "data" and _is_encoded(beside) and _BASE64.fullmatch(text)):
        return text
    # Arguments of a call are JSON in a text, where what is sought may stand with escapes.
    return _arguments(redact, text) if field == "arguments" else _text(redact, text)


def _is_encoded(beside: Mapping[str, Any]) -> bool:
    """Whether the `data` beside these fields is bytes in letters, not a document's text."""
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
    # Of a name that is given twice the first value is read by nobody, and would be kept as it is.
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
        # Without its words and its cause, which may hold the text.
        raise InvalidInput(msg) from None
    if not isinstance(replaced, str):
        raise InvalidInput(f"redact must return a text, not {type(replaced).__name__}: nothing was stored")
    return replaced
