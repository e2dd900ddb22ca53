"""Validation of integers from callers."""

from __future__ import annotations

from collections.abc import Callable

from turnfold.contract.wanted_anchors import LAST_TURN
from turnfold.errors import InvalidInput


def whole_number(name: str, value: object, *, least: int, error: Callable[[str], Exception] = InvalidInput) -> int:
    """Return the value if it is an `int` (not a `bool`) of at least `least`; raise `error` naming it otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise error(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value


def turn_number(name: str, value: object, *, least: int) -> int:
    """Return a turn's number like `whole_number`; one that no turn can have becomes the last possible one."""
    return min(whole_number(name, value, least=least), LAST_TURN)
