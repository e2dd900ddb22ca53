"""The smallest context, and beside it what the caller asked to be expanded."""

from __future__ import annotations

from typing import Final

from turnfold.assemble.assembly import Assembly, assemble
from turnfold.assemble.expanded import Expanded, expanded
from turnfold.assemble.fixed_parts import least_plan
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing


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
