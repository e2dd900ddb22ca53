"""JSON values from callers: conversion, and changes text by text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from turnfold.contract.text import clean
from turnfold.errors import InvalidTurn

MAX_DEPTH: Final = 100
"""Maximum nesting of lists and objects in a turn: not every JSON parser reads deeper ones."""
_NO_FIELDS: Final[Mapping[str, Any]] = {}

Change = Callable[[str, str, Mapping[str, Any]], str]
"""Callback that receives a text, the name of its field and all sibling fields, and returns the replacement."""


def plain(value: object) -> object:
    """Convert a provider client's object to a dict; return any other value unchanged."""
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if callable(dump) else value


def changed_texts(
    value: Any, change: Change, *, field: str = "", beside: Mapping[str, Any] = _NO_FIELDS, depth: int = 0,
    free: Collection[str] = (),
) -> Any:  # fmt: skip
    """Return a copy of a value as lists and dicts, with each text replaced by `change`.

    Inside a field whose name is in `free`, names are the caller's own: `change` gets the texts there without field
    names. Raises `InvalidTurn` for a value that is nested too deep.
    """
    if depth > MAX_DEPTH:
        msg = f"a turn must not be nested more than {MAX_DEPTH} levels deep"
        raise InvalidTurn(msg, remedy="flatten its parts or metadata")
    if isinstance(value, str):
        return change(value, field, beside)
    if isinstance(value, Mapping):
        return {
            clean(str(key)): changed_texts(
                inner, _nameless(change) if key in free and not isinstance(inner, str) else change,
                field=str(key), beside=value, depth=depth + 1, free=free,
            )
            for key, inner in value.items()
        }  # fmt: skip
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [changed_texts(inner, change, depth=depth + 1, free=free) for inner in value]
    dumped = plain(value)
    if dumped is value:
        return value
    return changed_texts(dumped, change, field=field, beside=beside, depth=depth + 1, free=free)


def _nameless(change: Change) -> Change:
    return lambda text, _field, _beside: change(text, "", _NO_FIELDS)


def object_in(text: str) -> dict[str, Any] | None:
    r"""Parse a text as a JSON object that any provider accepts; None for anything else.

    Models write the arguments of tool calls as text, which may be invalid JSON, nested too deep, or contain `NaN`,
    `1e999` or a lone surrogate.

    >>> object_in('{"pages": [1, 2]}'), object_in('{"a": NaN}'), object_in("[" * 9_999)
    ({'pages': [1, 2]}, None, None)
    """
    try:
        given = json.loads(text, parse_constant=_finite, parse_float=_finite)
        return changed_texts(given, lambda inner, _field, _beside: clean(inner)) if isinstance(given, dict) else None
    except (ValueError, RecursionError, InvalidTurn):
        return None


def _finite(written: str) -> float:
    if math.isfinite(number := float(written)):
        return number
    raise ValueError(f"{written[:20]} is not a finite number")


_KINDS: Final = (
    (type(None), "null"), (bool, "true or false"), ((int, float), "a number"), (str, "text"),
    ((bytes, bytearray), "bytes"), (Mapping, "an object"), ((list, tuple), "a list"),
)  # fmt: skip


def json_kind(value: object) -> str:
    """Name the JSON type of a value for error messages; the Python type if it has none.

    >>> json_kind(None), json_kind({}), json_kind(object())
    ('null', 'an object', 'object')
    """
    return next((kind for types, kind in _KINDS if isinstance(value, types)), type(value).__name__)
