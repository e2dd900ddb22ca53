"""Counts that callers give: checked in one place, refused in one wording."""

from __future__ import annotations

from collections.abc import Callable

from turnfold.errors import InvalidInput


def whole_number(name: str, value: object, *, least: int, error: Callable[[str], Exception] = InvalidInput) -> int:
    """The value, if it is an `int` of at least `least` and no `bool`; otherwise an error that names it is raised."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise error(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value
