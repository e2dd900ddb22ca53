"""Usage and cost of models by day, with totals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from turnfold import Usage
from turnfold_gateway.ui.views.bars import WIDTH


class UsageDay(NamedTuple):
    """A day's cost as a bar; `height` is out of 100."""

    day: date
    x: float
    width: float
    height: float
    cost_micros: int
    tokens: int


class UsageTotals(NamedTuple):
    """Sums over all days and models."""

    requests: int
    failed: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_micros: int
    notes_kept: int
    notes_refused: int


def totals_of(rows: Sequence[Usage]) -> UsageTotals:
    """Return the sum of each column."""
    return UsageTotals(*(sum(getattr(row, name) for row in rows) for name in UsageTotals._fields))


def days_of(rows: Sequence[Usage]) -> tuple[UsageDay, ...]:
    """Return cost by day; if nothing has a price, tokens by day."""
    cost: dict[date, list[int]] = {}
    for row in rows:
        of_day = cost.setdefault(row.day, [0, 0])
        of_day[0] += row.cost_micros
        of_day[1] += row.input_tokens + row.output_tokens
    which = 0 if any(of_day[0] for of_day in cost.values()) else 1
    largest = max((of_day[which] for of_day in cost.values()), default=0) or 1
    step = WIDTH / max(len(cost), 14)
    return tuple(
        UsageDay(day, round(at * step, 1), round(step * 0.8, 1), round(100 * of_day[which] / largest, 1), *of_day)
        for at, (day, of_day) in enumerate(sorted(cost.items()))
    )
