"""Validate and normalize the arguments of client calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Literal, TypeVar, get_args

from turnfold.assemble import Context
from turnfold.contract.records import AnchorState, AnchorType, Turn
from turnfold.contract.wanted_anchors import ANCHORS_A_PAGE, LAST_TURN, WantedAnchors
from turnfold.errors import InvalidIdentifier, InvalidInput, InvalidSettings, InvalidTurn
from turnfold.search.query_times import check_now
from turnfold.settings import Settings
from turnfold.wire.name_sets import members
from turnfold.wire.whole_numbers import turn_number, whole_number

_Settings = TypeVar("_Settings", bound=Settings)

Priority = Literal["live", "backfill"]
"""How soon turns are folded."""


def settings_from(values: Mapping[str, Any], kind: type[_Settings]) -> _Settings:
    """Make settings from values by name. Raises `InvalidSettings`, which lists the known names."""
    try:
        return kind(**values)
    except TypeError as error:
        known = ", ".join(field.name for field in fields(kind))
        raise InvalidSettings(f"{error}", remedy=f"use {known}") from error


def check_search(query: object, limit: object, now: object) -> None:
    """Raise `InvalidInput` for an invalid query, limit or time of a search."""
    if not isinstance(query, str):
        raise InvalidInput(f"query must be text, not {type(query).__name__}")
    whole_number("limit", limit, least=1)
    check_now(now)


def check_timeout(seconds: object) -> None:
    """Raise `InvalidInput` unless the timeout is a number of at least 0."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise InvalidInput(f"timeout_seconds must be a number of at least 0, not {seconds!r}")


def may_wait(priority: object) -> bool:
    """Whether turns of a priority may be folded after others. Raises `InvalidInput` for an unknown priority."""
    if priority not in get_args(Priority):
        raise InvalidInput(f"priority must be one of {', '.join(get_args(Priority))}, not {priority!r}")
    return priority == "backfill"


def check_erased(conversation_id: object, subject: object) -> None:
    """Raise `InvalidIdentifier` unless exactly one of conversation and subject is given."""
    if (conversation_id is None) is (subject is None):
        both = "and subject= were" if subject is not None else "must be a string, not NoneType, unless subject= is"
        msg = f"conversation id {both} given"
        raise InvalidIdentifier(msg, remedy="pass either a conversation id, or subject= for an end user")


def listed(turns: object) -> list[Any]:
    """Return a single turn or an iterable of turns as a list. Raises `InvalidTurn`."""
    if isinstance(turns, (Turn, Mapping)) or hasattr(turns, "model_dump"):
        return [turns]
    if not isinstance(turns, Iterable):
        raise InvalidTurn(f"turns must be a turn or a list of turns, not {type(turns).__name__}")
    return list(turns)


def read_from(context: object) -> str:
    """Return the id of the conversation that a context was read from. Raises `InvalidInput` if there is none."""
    if not isinstance(context, Context):
        raise InvalidInput(f"reference takes a Context, not {type(context).__name__}")
    if not context.conversation_id:
        raise InvalidInput(
            "this context was not read from a conversation", remedy="pass a context that `Turnfold.context` returned"
        )
    return context.conversation_id


def wanted_anchors(
    *,
    types: Iterable[AnchorType | str] | None = None,
    states: Iterable[AnchorState | str] | None = None,
    first_turn: object = 1,
    last_turn: object = None,
    ids: object = None,
    limit: object = ANCHORS_A_PAGE,
) -> WantedAnchors:
    """Check a caller's selection of anchors; None means all. Raises `InvalidInput`."""
    return WantedAnchors(
        turn_number("first_turn", first_turn, least=1),
        LAST_TURN if last_turn is None else turn_number("last_turn", last_turn, least=1),
        _checked_anchor_ids(ids), members("types", AnchorType, types), members("states", AnchorState, states),
        min(whole_number("limit", limit, least=1), LAST_TURN),
    )  # fmt: skip


def _checked_anchor_ids(ids: object) -> frozenset[int] | None:
    if ids is None:
        return None
    given = list(ids) if isinstance(ids, Iterable) else [ids]
    numbers = frozenset(id_ for id_ in given if isinstance(id_, int))
    if not isinstance(ids, Iterable) or len(numbers) < len(set(given)):
        raise InvalidInput(f"ids must be anchor ids, such as anchors(…)[0].id, not {ids!r}")
    return numbers
