"""A caller's own redaction: texts are given to it before anything leaves the process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

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

    Of a turn's metadata every text. Raises `InvalidInput` for what `redact` does wrong, `InvalidTurn` for what is
    nested too deep.
    """
    change = partial(_changed, redact)
    if not isinstance(value, Mapping) or "metadata" not in value:
        return changed_texts(value, change)
    rest = {key: inner for key, inner in value.items() if key != "metadata"}
    metadata = changed_texts(value["metadata"], lambda text, _field, _beside: _text(redact, text))
    return {**changed_texts(rest, change), "metadata": metadata}


def _changed(redact: Redact, text: str, field: str, beside: Mapping[str, Any]) -> str:
    if field in _STRUCTURE or (field == "data" and _is_encoded(beside)):
        return text
    # Arguments of a call are JSON in a text, where what is sought may stand with escapes.
    return _arguments(redact, text) if field == "arguments" else _text(redact, text)


def _is_encoded(beside: Mapping[str, Any]) -> bool:
    """Whether the `data` beside these fields is bytes in letters, not a document's text."""
    kind = beside.get("media_type", beside.get("mimetype", "text/plain"))
    return beside.get("type") == "base64" or "format" in beside or not str(kind).startswith("text/")


def _arguments(redact: Redact, text: str) -> str:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return _text(redact, text)
    changed = redacted(given, redact)
    return text if changed == given else json.dumps(changed, ensure_ascii=False)


def _text(redact: Redact, text: str) -> str:
    try:
        replaced: object = redact(text)
    except Exception as error:  # noqa: BLE001 - it is the caller's
        msg = f"redact failed with {type(error).__name__}: nothing was stored"
        # Without its words and its cause, which may hold the text.
        raise InvalidInput(msg) from None
    if not isinstance(replaced, str):
        msg = f"redact must return a text, not {type(replaced).__name__}: nothing was stored"
        raise InvalidInput(msg)
    return replaced
