"""A tool call and its results are one unit. Reads both providers' shapes, and trusts neither."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Role, StoredTurn

_MAX_CALLS: Final = 64
"""Calls of one turn that are looked at."""
_LONGEST_CALL: Final = 4_000
_MAX_VALUES: Final = 64
"""Arguments of a call that are looked at."""
_DEEPEST: Final = 3
"""How far mappings and lists inside an argument are read."""


class Call(NamedTuple):
    """A call of a tool."""

    id: str
    name: str
    values: tuple[str, ...]
    """Its arguments as texts, in their order; those of lists and mappings inside one by one."""
    keys: tuple[str, ...] = ()
    """The names of these arguments; none where they have no names."""


def call_ids(turn: StoredTurn) -> tuple[str, ...]:
    """Ids of the calls that a turn makes."""
    return tuple(call_id for call_id, _, _ in _given(turn) if isinstance(call_id, str))


def result_ids(turn: StoredTurn) -> tuple[str, ...]:
    """Ids of the calls that a turn answers."""
    single = (turn.parts or {}).get("tool_call_id")
    ids = [single, *(block.get("tool_use_id") for block in _blocks(turn, "tool_result"))]
    return tuple(call_id for call_id in ids[:_MAX_CALLS] if isinstance(call_id, str))


def voice_of(turn: StoredTurn) -> str:
    """The role whose words a turn holds: a tool's result is a tool's, whichever role a provider sends it in."""
    return str(Role.TOOL) if holds_tool_words(turn) else str(turn.role)


def tool_failed(turn: StoredTurn) -> bool | None:
    """What the provider says of a tool's result: True when it failed, None when it says nothing."""
    marks = [block.get("is_error") for block in _blocks(turn, "tool_result")]
    known = [is_error for is_error in marks if isinstance(is_error, bool)]
    return any(known) if known else None


def calls_shown(turn: StoredTurn) -> tuple[str, ...]:
    """Each call of a turn as a name with its arguments, as the provider gave them."""
    return tuple(filter(None, (_call(name, arguments) for _, name, arguments in _given(turn))))


def called_tools(turn: StoredTurn) -> frozenset[str]:
    """The names of the tools that a turn calls."""
    return frozenset(name for _, name, _ in _given(turn) if isinstance(name, str))


def call_texts(turn: StoredTurn) -> tuple[str, ...]:
    """The arguments of each call of a turn as text, for finding names in; at most `_LONGEST_CALL` code points each."""
    texts = (
        "\n".join(value for value in given.values() if isinstance(value, str)) if isinstance(given, Mapping) else given
        for _, _, given in _given(turn)
    )
    return tuple(text[:_LONGEST_CALL] for text in texts if isinstance(text, str) and text)


def calls_of(turn: StoredTurn) -> tuple[Call, ...]:
    """The calls of a turn with their arguments, at most `_LONGEST_CALL` code points each."""
    return tuple(
        Call(call_id if isinstance(call_id, str) else "", name[:80], *_values(arguments))
        for call_id, name, arguments in _given(turn) if isinstance(name, str)
    )  # fmt: skip


def _given(turn: StoredTurn) -> list[tuple[object, object, object]]:
    """The id, name and arguments of each call of a turn, as either provider gives them."""
    given: list[tuple[object, object, object]] = []
    for call in _listed(turn, "tool_calls"):
        function = call.get("function")
        named = function if isinstance(function, Mapping) else call
        given.append((call.get("id"), named.get("name"), named.get("arguments")))
    given += [(block.get("id"), block.get("name"), block.get("input")) for block in _blocks(turn, "tool_use")]
    return given[:_MAX_CALLS]


def _values(given: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Arguments as texts with their names: those of a mapping, which a provider may give as JSON, one by one."""
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
    """The texts inside an argument, each with the name that it stands under."""
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
