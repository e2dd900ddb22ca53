"""Decoding of inbox entries, made by `encode`, into turns. Pure."""

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
    """Parse an entry's body. Raises `InvalidTurn` for one that `accept` did not make."""
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
    """Whether the body of a turn has the priority `backfill`."""
    return b'"may_wait"' in body and json.loads(body).get("may_wait") is True


def subject_of(body: bytes) -> str | None:
    """Return the end user of a turn's body; None if it names none or is unreadable."""
    if b'"subject"' not in body:
        return None
    try:
        return checked_id("subject", json.loads(body).get("subject"))
    except (ValueError, AttributeError, RecursionError):
        return None


def read_entry(body: bytes, *, seq: int, turn_id: str) -> StoredTurn:
    """Like `decode_turn`, but returns a placeholder for an unreadable entry."""
    try:
        return decode_turn(body, seq=seq, turn_id=turn_id)
    except InvalidTurn:
        return placeholder(body, seq=seq, turn_id=turn_id)


def placeholder(body: bytes, *, seq: int, turn_id: str) -> StoredTurn:
    """Return the placeholder of a turn that could not be stored as sent, with its own role if readable."""
    try:
        role = Role(json.loads(body)["role"])
    except (ValueError, TypeError, KeyError, RecursionError):
        role = Role.USER
    return StoredTurn(
        seq=seq, turn_id=turn_id, role=role, content=PLACEHOLDER, tokens=estimate_tokens(PLACEHOLDER),
        state=TurnState.PARKED,
    )  # fmt: skip


def in_utc(value: datetime) -> datetime:
    """Convert a datetime to UTC. Raises `ValueError` for a naive one: the process's time zone must not decide."""
    if value.utcoffset() is None:
        raise ValueError("no time zone")
    return value.astimezone(UTC)


def _optional(given: Mapping[str, Any], key: str, kind: type[_Kind]) -> _Kind | None:
    field = given.get(key)
    if field is not None and not isinstance(field, kind):
        raise TypeError(f"{key} is not a {kind.__name__}")
    return field
