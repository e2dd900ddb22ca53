"""What callers give to a client, looked at before anything is done with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

from turnfold.assemble import Context
from turnfold.contract.records import Turn
from turnfold.errors import InvalidInput, InvalidSettings, InvalidTurn
from turnfold.settings import Settings
from turnfold.whole_numbers import whole_number

_Settings = TypeVar("_Settings", bound=Settings)
_Member = TypeVar("_Member", bound=StrEnum)


def settings_from(values: Mapping[str, Any], kind: type[_Settings]) -> _Settings:
    """The settings of those names. Raises `InvalidSettings` naming what there is."""
    try:
        return kind(**values)
    except TypeError as error:
        known = ", ".join(field.name for field in fields(kind))
        msg = f"{error}: the settings are {known}"
        raise InvalidSettings(msg) from error


def check_search(query: object, limit: object) -> None:
    """Raise `InvalidInput` for what cannot be searched for."""
    if not isinstance(query, str):
        msg = f"query must be text, not {type(query).__name__}"
        raise InvalidInput(msg)
    whole_number("limit", limit, least=1)


def members(name: str, kind: type[_Member], wanted: Iterable[_Member | str] | None) -> frozenset[_Member]:
    """The members of an enumeration that a caller names; None means all. Raises `InvalidInput` for an unknown one."""
    if wanted is None:
        return frozenset(kind)
    try:
        return frozenset(map(kind, names(name, wanted)))
    except ValueError as error:
        msg = f"{error}: use {', '.join(kind)}"
        raise InvalidInput(msg) from error


def names(name: str, wanted: object) -> frozenset[str]:
    """A name or several. Raises `InvalidInput` for what is neither."""
    if isinstance(wanted, str):
        return frozenset([wanted])
    given: list[object] = list(wanted) if isinstance(wanted, Iterable) else [wanted]
    found = [each for each in given if isinstance(each, str)]
    if not isinstance(wanted, Iterable) or len(found) < len(given):
        msg = f"{name} are a list of names, or None for all, not {wanted!r}"
        raise InvalidInput(msg)
    return frozenset(found)


def check_timeout(seconds: object) -> None:
    """Raise `InvalidInput` for what is no time to wait."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
        msg = f"timeout_seconds must be a number of at least 0, not {seconds!r}"
        raise InvalidInput(msg)


def listed(turns: object) -> list[Any]:
    """One turn or several as a list. Raises `InvalidTurn`."""
    if isinstance(turns, (Turn, Mapping)) or hasattr(turns, "model_dump"):
        return [turns]
    if not isinstance(turns, Iterable):
        msg = f"a turn or a list of turns is wanted, not {type(turns).__name__}"
        raise InvalidTurn(msg)
    return list(turns)


def read_from(context: object) -> str:
    """The conversation that a context was read from. Raises `InvalidInput` for what is none."""
    if not isinstance(context, Context):
        msg = f"reference takes a context, not {type(context).__name__}"
        raise InvalidInput(msg)
    if not context.conversation_id:
        msg = "this context was not read from a conversation: give one that `context` returned"
        raise InvalidInput(msg)
    return context.conversation_id
