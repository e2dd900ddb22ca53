"""Tool calls and their results, which form one unit. Reads both providers' shapes, and trusts neither."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Role, StoredTurn

_MAX_CALLS: Final = 64
"""Maximum number of calls read from a turn."""
_LONGEST_CALL: Final = 4_000
_MAX_VALUES: Final = 64
"""Maximum number of arguments read from a call."""
_DEEPEST: Final = 3
"""Nesting depth to which mappings and lists inside an argument are read."""


class Call(NamedTuple):
    """A tool call."""

    id: str
    name: str
    values: tuple[str, ...]
    """Arguments as texts, in order; those nested in lists and mappings are listed one by one."""
    keys: tuple[str, ...] = ()
    """Names of the arguments, one per value; empty if the arguments have no names."""


def call_ids(turn: StoredTurn) -> tuple[str, ...]:
    """Return the ids of the calls that a turn makes."""
    return tuple(call_id for call_id, _, _ in _given(turn) if isinstance(call_id, str))


def result_ids(turn: StoredTurn) -> tuple[str, ...]:
    """Return the ids of the calls whose results a turn contains."""
    single = (turn.parts or {}).get("tool_call_id")
    ids = [single, *(block.get("tool_use_id") for block in _blocks(turn, "tool_result"))]
    return tuple(call_id for call_id in ids[:_MAX_CALLS] if isinstance(call_id, str))


def voice_of(turn: StoredTurn) -> str:
    """Return the role whose words a turn contains: `tool` for a tool's result, in whichever role it is sent."""
    return str(Role.TOOL) if holds_tool_words(turn) else str(turn.role)


def tool_failed(turn: StoredTurn) -> bool | None:
    """Return the provider's error flag of a tool's result; None if there is none."""
    marks = [block.get("is_error") for block in _blocks(turn, "tool_result")]
    known = [is_error for is_error in marks if isinstance(is_error, bool)]
    return any(known) if known else None


def calls_shown(turn: StoredTurn) -> tuple[str, ...]:
    """Render each call of a turn as a name with its arguments in parentheses, truncated."""
    return tuple(filter(None, (_call(name, arguments) for _, name, arguments in _given(turn))))


def called_tools(turn: StoredTurn) -> frozenset[str]:
    """Return the names of the tools that a turn calls."""
    return frozenset(name for _, name, _ in _given(turn) if isinstance(name, str))


def call_texts(turn: StoredTurn) -> tuple[str, ...]:
    """Return the arguments of each call as text, to search for names; at most `_LONGEST_CALL` code points each."""
    texts = (
        "\n".join(value for value in given.values() if isinstance(value, str)) if isinstance(given, Mapping) else given
        for _, _, given in _given(turn)
    )
    return tuple(text[:_LONGEST_CALL] for text in texts if isinstance(text, str) and text)


def calls_of(turn: StoredTurn) -> tuple[Call, ...]:
    """Return the calls of a turn with their arguments, at most `_LONGEST_CALL` code points each."""
    return tuple(
        Call(call_id if isinstance(call_id, str) else "", name[:80], *_values(arguments))
        for call_id, name, arguments in _given(turn) if isinstance(name, str)
    )  # fmt: skip


def _given(turn: StoredTurn) -> list[tuple[object, object, object]]:
    """Return the raw id, name and arguments of each call of a turn, in either provider's shape."""
    given: list[tuple[object, object, object]] = []
    for call in _listed(turn, "tool_calls"):
        function = call.get("function")
        named = function if isinstance(function, Mapping) else call
        given.append((call.get("id"), named.get("name"), named.get("arguments")))
    given += [(block.get("id"), block.get("name"), block.get("input")) for block in _blocks(turn, "tool_use")]
    return given[:_MAX_CALLS]


def _values(given: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return arguments as texts, and their names: those of a mapping, or of one serialized as JSON, one by one."""
    if isinstance(given, str):
        try:
            read = json.loads(given)
        except (ValueError, RecursionError):
            read = None
        if not isinstance(read, Mapping):
            return (given[:_LONGEST_CALL],), ()
        given = read
    if not isinstance(given, Mapping):
        return (), ()
    named = list(islice(_leaves("", given, 0), _MAX_VALUES))
    return tuple(argument for _, argument in named), tuple(key for key, _ in named)


def _leaves(key: str, argument: object, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts inside an argument, each with its name."""
    if isinstance(argument, str):
        yield key, argument[:_LONGEST_CALL]
    elif isinstance(argument, Mapping) and depth < _DEEPEST:
        for name, inside in argument.items():
            yield from _leaves(str(name)[:80], inside, depth + 1)
    elif (
        isinstance(argument, list | tuple)
        and depth < _DEEPEST
        and any(isinstance(element, Mapping) for element in argument)
    ):
        for inside in argument:
            yield from _leaves(key, inside, depth + 1)
    else:
        yield key, json.dumps(argument)[:_LONGEST_CALL]


def _call(name: object, arguments: object) -> str:
    if not isinstance(name, str):
        return ""
    if isinstance(arguments, Mapping):
        values = ", ".join(
            f"{key}={argument}" for key, argument in arguments.items() if isinstance(argument, str | int)
        )
    else:
        values = arguments if isinstance(arguments, str) else ""
    return f"{name[:80]}({values[:120]})"


def _listed(turn: StoredTurn, key: str) -> Iterator[Mapping[str, Any]]:
    listed = (turn.parts or {}).get(key)
    if isinstance(listed, list | tuple):
        yield from (element for element in listed[:_MAX_CALLS] if isinstance(element, Mapping))


def _blocks(turn: StoredTurn, kind: str) -> Iterator[Mapping[str, Any]]:
    return (block for block in _listed(turn, "content") if block.get("type") == kind)
