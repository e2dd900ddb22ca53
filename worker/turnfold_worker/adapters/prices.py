"""Prices of tokens in US dollars per million, which equals millionths of a dollar per token."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import Final

from turnfold.errors import InvalidSettings

BATCH_SHARE: Final = 0.5
"""Price of a provider's batch as a share of single calls."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    input: float
    cached: float
    output: float

    def micros(self, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> int:
        """Return the cost in millionths of a dollar, rounded up. `cached_tokens` are part of the input tokens."""
        fresh = max(0, input_tokens - cached_tokens)
        return math.ceil(fresh * self.input + cached_tokens * self.cached + output_tokens * self.output)


KNOWN: Final = {"gpt-4o": Price(2.50, 1.25, 10.00), "gpt-4o-mini": Price(0.15, 0.075, 0.60)}
"""Prices of the default models."""


def read_prices(text: str) -> dict[str, Price]:
    """Parse `model=input/cached/output,…` on top of the known prices. Raises `InvalidSettings`.

    >>> read_prices("local=0/0/0")["local"]
    Price(input=0.0, cached=0.0, output=0.0)
    """
    prices = dict(KNOWN)
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, equals, figures = entry.rpartition("=")
        try:
            price = Price(*(float(figure) for figure in figures.split("/")))
        except (TypeError, ValueError):
            price = None
        if not equals or not model or price is None or not all(0 <= one < math.inf for one in astuple(price)):
            msg = f"TURNFOLD_PRICES: {entry!r} must look like gpt-4o=2.50/1.25/10.00 (input/cached/output)"
            raise InvalidSettings(msg)
        prices[model.strip()] = price
    return prices
