"""Sizes as rectangles of a drawing that is 1,000 units wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

WIDTH: Final = 1_000
_NARROWEST: Final = 2.0
"""Smallest visible width of a rectangle, in units."""


class Bar(NamedTuple):
    """A rectangle: `x` and `width` in units, `kind` for its colour, `amount` for its label."""

    x: float
    width: float
    kind: str
    amount: int


def stacked(amounts: Sequence[tuple[str, int]], whole: int) -> tuple[Bar, ...]:
    """Return amounts side by side as shares of a whole, which is raised to their sum; amounts of 0 are left out."""
    whole = max(whole, sum(amount for _, amount in amounts), 1)
    bars, x = [], 0.0
    for kind, amount in amounts:
        if amount <= 0:
            continue
        width = min(max(WIDTH * amount / whole, _NARROWEST), WIDTH - x)
        bars.append(Bar(round(x, 1), round(width, 1), kind, amount))
        x += width
    return tuple(bars)


def nested(amounts: Sequence[int], largest: int) -> tuple[Bar, ...]:
    """Return the levels of a segment as bars from the left, shorter when coarser. `kind` is the level's number."""
    largest = max(largest, *amounts, 1)
    return tuple(
        Bar(0.0, round(max(WIDTH * amount / largest, _NARROWEST if amount else 0.0), 1), str(level), amount)
        for level, amount in enumerate(amounts)
    )
