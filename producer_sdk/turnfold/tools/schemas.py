"""Tool definitions of `expand`, `search` and `anchors`, in the forms that providers take."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, Literal

from turnfold.assemble.forms.markers import ARROW
from turnfold.contract.records import AnchorState, AnchorType
from turnfold.errors import InvalidInput

ToolForm = Literal["openai", "responses", "anthropic"]

TOOL_NAMES: Final = ("expand", "search", "anchors")
"""Names of our tools, by which an agent that has other tools too recognizes our calls."""

MOST_HITS: Final = 50
"""Most search results that a model may request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """A tool's definition, in no provider's form yet."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...] = ()


_TOOLS: Final = (
    _Tool(
        name="expand",
        description=(
            "Look up the exact words behind a marker. Earlier parts of this conversation are shown to you as notes; a "
            f"marker such as [… {ARROW}L1:refunds-7] stands where something was left out. L0 gives the turns word for "
            "word, L1 a detailed summary, L2 a brief one. A long answer ends with the marker that goes on. Use this "
            "instead of guessing whenever the notes do not say enough."
        ),
        properties={
            "marker": {
                "type": "string",
                "description": "Copied from the notes or from a search, e.g. L1:refunds-7 or L0:turns-12-19",
            }
        },
        required=("marker",),
    ),
    _Tool(
        name="search",
        description=(
            "Search all earlier parts of this conversation for words, names, numbers or dates. Returns snippets, best "
            "first, each with a marker to expand. Use it when no note and no marker is about what you need."
        ),
        properties={
            "query": {"type": "string", "description": "Words that were likely said; they need not be a sentence"},
            "limit": {
                "type": "integer", "minimum": 1, "maximum": MOST_HITS, "description": "Most results, 10 if left out",
            },
        },
        required=("query",),
    ),
    _Tool(
        name="anchors",
        description=(
            "List what must not be forgotten from this conversation, word for word: hard constraints, standing "
            "instructions, preferences, decisions, corrections, commitments, unresolved questions and critical facts, "
            "each with its turn, day and speaker, in the order in which they were said."
        ),
        properties={
            "types": {
                "type": "array", "items": {"type": "string", "enum": [kind.value for kind in AnchorType]},
                "description": "Only these types; all if left out",
            },
            "states": {
                "type": "array", "items": {"type": "string", "enum": [state.value for state in AnchorState]},
                "description": "Only these states; active if left out",
            },
            "skip": {
                "type": "integer", "minimum": 0, "description": "How many to pass over, to go on with a long list",
            },
        },
    ),
)  # fmt: skip

ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {tool.name: tuple(tool.properties) for tool in _TOOLS}
"""Argument names of each tool."""


def tool_schemas(form: object) -> list[dict[str, Any]]:
    """Return the tools in a provider's form, as new objects at each call. Raises `InvalidInput` for an unknown form."""
    tools: list[dict[str, Any]] = []
    for tool in _TOOLS:
        schema = {
            "type": "object", "properties": deepcopy(dict(tool.properties)), "required": list(tool.required),
            "additionalProperties": False,
        }  # fmt: skip
        named = {"name": tool.name, "description": tool.description}
        match form:
            case "openai":
                tools.append({"type": "function", "function": {**named, "parameters": schema}})
            case "responses":
                tools.append({"type": "function", **named, "parameters": schema, "strict": False})
            case "anthropic":
                tools.append({**named, "input_schema": schema})
            case _:
                raise InvalidInput(f"unknown form of tools {form!r}", remedy="use openai, responses or anthropic")
    return tools
