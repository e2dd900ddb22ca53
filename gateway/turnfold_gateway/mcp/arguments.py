"""Validate the arguments of a call against the tool's schema; errors tell the model what to send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from turnfold_gateway.mcp.failures import BadArguments
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.schemas import schema_of, tools_of

_LONGEST_MESSAGE: Final = 300
"""Code points of a validator's message, which may repeat the input."""


def checked(name: str, arguments: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
    """Return the validated arguments of a call. Raises `BadArguments`, also for a tool that the caller lacks."""
    schema = schema_of(name, reach)
    if schema is None:
        names = ", ".join(tool.name for tool in tools_of(reach))
        raise BadArguments(f"there is no tool {name[:60]!r} here: use {names}")
    if complaint := _too_long("", arguments, schema) or _mistake(arguments, schema):
        msg = f"the arguments of {name} are wrong: {_short(complaint)}. Correct them and call {name} again"
        raise BadArguments(msg)
    return dict(arguments)


def _too_long(place: str, part: Any, schema: Mapping[str, Any]) -> str | None:
    """Describe a list or object with too many members. Checked first, because validating each member is slow."""
    if isinstance(part, Mapping) and "properties" in schema:
        own = schema["properties"]
        if len(part) > 2 * len(own):
            return f"{_at(place)}{len(part)} members are too many: use {', '.join(own)}"
        inner = [(f"{place}.{key}".lstrip("."), part[key], own[key]) for key in own if key in part]
    elif isinstance(part, list) and "items" in schema:
        most = schema.get("maxItems", len(schema["items"].get("enum", ())) or len(part))
        if len(part) > most:
            return f"{_at(place)}{len(part)} are too many: {most} at most"
        inner = [(f"{place}[{number}]", item, schema["items"]) for number, item in enumerate(part)]
    else:
        return None
    return next(filter(None, (_too_long(*step) for step in inner)), None)


def _mistake(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    try:
        error = best_match(Draft202012Validator(schema).iter_errors(dict(arguments)))
    except ValueError:
        # The message contains a number with more digits than Python converts to text.
        return "a number has too many digits"
    return None if error is None else _complaint(error)


def _complaint(error: ValidationError) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).lstrip(".")
    return f"{_at(place)}{error.message}"


def _at(place: str) -> str:
    return f"{place}: " if place else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
