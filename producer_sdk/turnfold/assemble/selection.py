"""What a selection is: a way to choose the parts of a context. `by_value` and `by_age` are the two that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from turnfold.assemble.assembly import Assembly, assemble
from turnfold.assemble.context import LeftOut
from turnfold.assemble.expanded import Expanded, expanded
from turnfold.assemble.fixed_parts import least_plan
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Choice, Plan
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import LevelKey

ATTEMPTS: Final = 4
"""Finished contexts that are counted before the smallest one is taken."""

ENOUGH_USED: Final = 0.03
"""Of the budget: with less than this to spare, no further context is tried."""


class Selection(Protocol):
    """Chooses the parts of a context. Keeps nothing: all of a read is in the arguments."""

    def choose(self, material: Material, pricing: Pricing) -> Choice:
        """A plan for the budget by stored counts, and the texts that `largest_fitting` needs."""

    def largest_fitting(
        self, material: Material, pricing: Pricing, choice: Choice, texts: Mapping[LevelKey, str]
    ) -> Assembly | None:
        """The largest context that was found to fit by the request's counter; None when none did."""

    def not_repeated(self, material: Material, plan: Plan) -> Iterator[LeftOut]:
        """What it might have shown again beside a background, and had no room for."""


def least_assembly(material: Material, pricing: Pricing) -> Assembly:
    """The smallest context."""
    return assemble(least_plan(material), {}, pricing=pricing, style=material.style)


class AskedToExpand:
    """What the caller asked to be expanded, within its share of `target` tokens."""

    def __init__(self, material: Material, pricing: Pricing, *, target: int) -> None:
        beside = target - least_assembly(material, pricing).largest
        self._share = int(material.request.policy.expand_share * target)
        self._shown: Expanded = expanded(material, pricing, most_tokens=min(self._share, beside))
        self.tokens: Final = self._shown.tokens
        self.room: Final = beside - self.tokens
        """What it and the smallest context leave."""

    def added_to(self, plan: Plan) -> Plan:
        """The plan with it."""
        return plan._replace(
            expanded=self._shown.passages,
            not_expanded=self._shown.left_out,
            allotted=(*plan.allotted, ("expanded", self._share)),
        )
