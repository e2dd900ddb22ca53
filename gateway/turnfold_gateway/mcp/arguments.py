"""Arguments of a call, held against the tool's schema: a model's mistakes become texts that say what to send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from turnfold_gateway.mcp.failures import BadArguments
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.schemas import schema_of, tools_of

_LONGEST_MESSAGE: Final = 300
"""Code points of a complaint: it may repeat what was sent."""


def checked(name: str, arguments: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
    """The arguments of a call of `name`. Raises `BadArguments`, also for a tool that this caller does not have."""
    schema = schema_of(name, reach)
    if schema is None:
        names = ", ".join(tool.name for tool in tools_of(reach))
        msg = f"there is no tool {name[:60]!r} here: use {names}"
        raise BadArguments(msg)
    error = best_match(Draft202012Validator(schema).iter_errors(dict(arguments)))
    if error is not None:
        msg = f"the arguments of {name} are wrong: {_complaint(error)}. Correct them and call {name} again"
        raise BadArguments(msg)
    return dict(arguments)


def _complaint(error: ValidationError) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).lstrip(".")
    text = f"{place}: {error.message}" if place else error.message
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
