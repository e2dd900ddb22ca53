"""Entries of an inbox, read back as the turns that they hold. Pure. `encode` makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from turnfold.contract.keys import checked_id
from turnfold.contract.records import Importance, Role, StoredTurn, TurnState
from turnfold.contract.text import clean
from turnfold.errors import InvalidTurn
from turnfold.tokens import estimate_tokens

PLACEHOLDER: Final = "[this turn could not be stored as it was sent; see `turnfold jobs list`]"

_Kind = TypeVar("_Kind")


def decode_turn(body: bytes, *, seq: int, turn_id: str) -> StoredTurn:
    """Read an entry's body back. Raises `InvalidTurn` when it is not one that `accept` made."""
    try:
        given = json.loads(body)
        created = _optional(given, "created_at", str)
        content = clean(given["content"])
        return StoredTurn(
            seq=seq,
            turn_id=turn_id,
            role=Role(given["role"]),
            content=content,
            name=_optional(given, "name", str),
            parts=_optional(given, "parts", dict),
            importance=Importance(given.get("importance", Importance.NORMAL)),
            created_at=None if created is None else in_utc(datetime.fromisoformat(created)),
            metadata=_optional(given, "metadata", dict),
            tokens=estimate_tokens(content),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        msg = f"inbox entry {turn_id} is not a turn: {type(error).__name__}"
        raise InvalidTurn(msg) from error


def may_wait(body: bytes) -> bool:
    """Whether an entry that is a turn is of the priority `backfill`."""
    return b'"may_wait"' in body and json.loads(body).get("may_wait") is True


def subject_of(body: bytes) -> str | None:
    """The end user whose turn an entry is; None for one without, and for what cannot be read."""
    if b'"subject"' not in body:
        return None
    try:
        return checked_id("subject", json.loads(body).get("subject"))
    except (ValueError, AttributeError, RecursionError):
        return None


def read_entry(body: bytes, *, seq: int, turn_id: str) -> StoredTurn:
    """As `decode_turn`; for an entry that is no turn, what will stand in its place."""
    try:
        return decode_turn(body, seq=seq, turn_id=turn_id)
    except InvalidTurn:
        return placeholder(body, seq=seq, turn_id=turn_id)


def placeholder(body: bytes, *, seq: int, turn_id: str) -> StoredTurn:
    """What stands for a turn that could not be stored as it was sent; by its own speaker, if that can be read."""
    try:
        role = Role(json.loads(body)["role"])
    except (ValueError, TypeError, KeyError, RecursionError):
        role = Role.USER
    return StoredTurn(
        seq=seq, turn_id=turn_id, role=role, content=PLACEHOLDER, tokens=estimate_tokens(PLACEHOLDER),
        state=TurnState.PARKED,
    )  # fmt: skip


def in_utc(value: datetime) -> datetime:
    """The same instant in UTC. Raises `ValueError` without a time zone: a process's own must not decide."""
    if value.utcoffset() is None:
        raise ValueError("no time zone")
    return value.astimezone(UTC)


def _optional(given: Mapping[str, Any], key: str, kind: type[_Kind]) -> _Kind | None:
    field = given.get(key)
    if field is not None and not isinstance(field, kind):
        raise TypeError(f"{key} is not a {kind.__name__}")
    return field
