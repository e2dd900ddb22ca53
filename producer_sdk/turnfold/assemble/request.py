"""What a caller asks of a read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from turnfold.assemble.policy import BALANCED, Policy
from turnfold.errors import InvalidBudget, InvalidInput
from turnfold.tokens import ESTIMATOR, Counter

_MOST_TOKENS: Final = 10**12
"""More than any conversation has: shares of a budget are computed as floats, which end somewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A budget and what to do with it. Raises `InvalidBudget` or `InvalidInput` when it makes no sense."""

    budget_tokens: int
    query: str | None = None
    """What the next answer is about; adds excerpts and favours the nodes that hold them."""
    system: str | None = None
    """Always shown in full. Without it, the newest system turn is shown in its place."""
    task: str | None = None
    """Always shown in full, after the system text."""
    reserve_tokens: int = 0
    """Tokens of the budget that stay free, for what the caller adds."""
    policy: Policy = BALANCED
    counter: Counter = ESTIMATOR

    def __post_init__(self) -> None:
        for name, least in (("budget_tokens", 1), ("reserve_tokens", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                msg = f"{name} must be a whole number of at least {least}, not {value!r}"
                raise InvalidBudget(msg, needed_tokens=least)
        for name in ("query", "system", "task"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                msg = f"{name} must be text or None, not {type(value).__name__}"
                raise InvalidInput(msg)

    @property
    def usable_tokens(self) -> int:
        """What the context itself may cost; may be negative."""
        return min(self.budget_tokens - self.reserve_tokens, _MOST_TOKENS)
