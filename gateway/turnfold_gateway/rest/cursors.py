"""Cursors: a page returns one as `next_cursor`, and the next request sends it back."""

from __future__ import annotations

from turnfold_gateway.inputs import whole_number
from turnfold_gateway.problems import Problem

LARGEST = 2**31 - 1


def number_of(cursor: str | None, *, first: int) -> int:
    """Return the number in a cursor; `first` without one. Raises `Problem` for an invalid cursor."""
    if cursor is None:
        return first
    number = whole_number(cursor, most=LARGEST)
    if number is None:
        raise Problem(
            422, "invalid-cursor", "Invalid cursor", detail="cursor is not from a page of this list",
            remedy="start without a cursor, then pass next_cursor unchanged",
        )  # fmt: skip
    return number
