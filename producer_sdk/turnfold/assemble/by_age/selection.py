"""The selection by age: the newer it is, the more of it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from turnfold.assemble.assembly import Assembly, assemble
from turnfold.assemble.by_age.parts import parts_by_age
from turnfold.assemble.context import LeftOut
from turnfold.assemble.forms.tags import TAGS_LEVEL, tag_sources
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Choice, Plan
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.selection import ATTEMPTS, ENOUGH_USED, AskedToExpand
from turnfold.contract.records import LevelKey, Node

_MORE_TEXTS: Final = 1.6
"""Texts that are fetched for a caller's counter, in budgets: it may have room for more than stored counts say."""


class ByAge:
    """Levels of nodes by age: at most three texts are needed for each node of the cut."""

    def choose(self, material: Material, pricing: Pricing) -> Choice:
        target = max(0, material.request.usable_tokens)
        plan = _plan(material, pricing, target=target)
        wanted = [one.key for one in plan.shown]
        if plan.tags_tokens:
            sources = tag_sources(plan.joined, most_tokens=max(target // 3, 200))
            wanted += [(node.height, node.idx, TAGS_LEVEL) for node in sources]
        if not material.request.counter.stored:
            wanted += _neighbours(material, plan, most_tokens=int(_MORE_TEXTS * target))
        return Choice(tuple(dict.fromkeys(wanted)), plan, material, pricing)

    def largest_fitting(
        self,
        material: Material,
        pricing: Pricing,  # noqa: ARG002 - the protocol's form; prices here are those of the texts
        choice: Choice,
        texts: Mapping[LevelKey, str],
    ) -> Assembly | None:
        """Chosen by what the fetched texts cost, for a target that is corrected by what was to spare."""
        usable = material.request.usable_tokens
        measured = Pricing(material.request.counter, material.style, texts=texts)
        best: Assembly | None = None
        fits, target = 0, usable
        for _ in range(ATTEMPTS):
            plan = _plan(material, measured, target=target, seed=choice.plan)
            found = assemble(plan, texts, pricing=measured, style=material.style)
            spare = usable - found.largest
            if spare < 0:
                target = (fits + target) // 2 if fits else target + spare - max(1, usable // 100)
            else:
                if best is not None and found.largest <= best.largest:
                    break
                best = found
                fits = target
                target += spare
            if target <= fits or 0 <= spare <= ENOUGH_USED * usable:
                break
        return best

    def not_repeated(self, material: Material, plan: Plan) -> Iterator[LeftOut]:
        """Excerpts that have no room in their share."""
        excerpts = len(material.snapshot.excerpts) if material.question else 0
        if excerpts > len(plan.excerpts):
            yield LeftOut(f"{excerpts - len(plan.excerpts)} of {excerpts} excerpts", "search()")


def _plan(material: Material, pricing: Pricing, *, target: int, seed: Plan | None = None) -> Plan:
    """The parts, with what the caller asked to be expanded where not all of the conversation is shown raw."""
    plan = parts_by_age(material, pricing, target=target, seed=seed)
    if not plan.has_background or not material.snapshot.passages:
        return plan
    asked = AskedToExpand(material, pricing, target=target)
    if asked.tokens:
        plan = parts_by_age(material, pricing, target=target - asked.tokens, seed=seed)
    return asked.added_to(plan)


def _neighbours(material: Material, plan: Plan, *, most_tokens: int) -> list[LevelKey]:
    """Levels beside the chosen ones: coarser ones to fall back to, then finer ones while they are not too many."""
    first_raw = plan.raw[0].turn.seq if plan.raw else material.last_seq + 1
    raw = [
        node for (height, _), node in sorted(material.nodes.items())
        if height == 0 and first_raw <= node.first_seq <= material.closed_seq
    ]  # fmt: skip
    keys: list[tuple[Node, int]] = [(one.node, one.level + 1) for one in plan.shown if one.level < TAGS_LEVEL]
    keys += [(node, level) for node in raw for level in (2, 1)]
    keys += [(one.node, one.level - 1) for one in reversed(plan.shown) if one.level > 1]
    room = most_tokens - sum(one.node.tokens[one.level] for one in plan.shown)
    found = []
    for node, level in keys:
        if node.tokens[level] <= room:
            room -= node.tokens[level]
            found.append((node.height, node.idx, level))
    return found
