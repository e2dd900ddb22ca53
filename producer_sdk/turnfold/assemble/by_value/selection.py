"""Find the largest context that fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turnfold.assemble.assembly import Assembly, assemble, least_assembly
from turnfold.assemble.by_value.asked_blocks import asked_blocks
from turnfold.assemble.by_value.parts import parts_by_value
from turnfold.assemble.expanded import expanded
from turnfold.assemble.forms.groups import Hits
from turnfold.assemble.forms.render_text import NO_MATCH_LINE
from turnfold.assemble.hot_segments import detail_header, often_of, taken_often
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Choice, Plan
from turnfold.assemble.policy import rounded_down
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import LevelKey

_ATTEMPTS: Final = 4
"""Maximum number of finished contexts to count before the smallest one is used."""

_ENOUGH_USED: Final = 0.05
"""Share of the budget: with less than this to spare, no further context is tried."""

_SAFETY: Final = 0.004
"""Share of the budget that is kept back at each further attempt."""

_LESS: Final = 0.9
"""Factor on the target for each further attempt while none has fitted."""

_STEPS: Final = 100
"""Steps of the budget to which a corrected target is rounded."""


def choose_parts(material: Material, pricing: Pricing) -> Choice:
    """Plan for the budget by stored counts. Only frequently expanded or hot segments need stored texts."""
    plan = _plan(material, pricing, target=max(0, material.request.usable_tokens))
    return Choice(tuple((0, node.idx, 1) for node in plan.often), plan, material, pricing)


def largest_fitting(
    material: Material, pricing: Pricing, choice: Choice, texts: Mapping[LevelKey, str]
) -> Assembly | None:
    """The largest context found to fit by the request's counter; None when none did.

    Plans are made by stored counts, for a target that is corrected by the cost of the finished context.
    """
    usable = material.request.usable_tokens
    best: Assembly | None = None
    target, plan = usable, choice.plan
    low, high = (0, 0), (0, 0)
    for attempt in range(_ATTEMPTS):
        assembly = assemble(plan, texts, pricing=pricing, style=material.style)
        is_level = assembly.largest == high[1]
        if assembly.largest > usable:
            high = (target, assembly.largest)
        else:
            shows_all = not plan.has_background or (high == (0, 0) and assembly.largest == low[1])
            low = (target, assembly.largest)
            best = assembly if best is None or assembly.largest > best.largest else best
            if shows_all or best.largest >= (1 - _ENOUGH_USED) * usable:
                break
        # While nothing fits, the target falls faster: the smallest context is far smaller.
        wanted = usable * (1 - _SAFETY) * (1.0 if best is not None else _LESS**attempt)
        following = _between(low, high if high[0] else (target, assembly.largest), int(wanted))
        if is_level and best is not None:
            # Either target shows everything there is.
            following = (low[0] + target) // 2
        # Rounded, so that the same past is chosen while the recent turns grow.
        following = rounded_down(following, usable // _STEPS)
        if following in {low[0], high[0]}:
            break
        target = following
        plan = _plan(material, choice.pricing, target=target)
    return best


def _plan(material: Material, pricing: Pricing, *, target: int) -> Plan:
    """The parts, with a line that says so if nothing answers the query, even without notes near it."""
    if not material.request.query or material.is_matched:
        return _parts(material, pricing, target=target)
    line = Hits((), NO_MATCH_LINE)
    plan = _parts(material, pricing, target=target - pricing.notes(line))
    return plan if plan.hits else plan._replace(hits=line)


def _parts(material: Material, pricing: Pricing, *, target: int) -> Plan:
    """The parts, with blocks that a query asks for, frequently expanded segments, and the caller's expansions.

    None of these is added if the whole conversation is shown raw.
    """
    plan = parts_by_value(material, pricing, target=target)
    if not plan.has_background:
        return plan
    blocks = asked_blocks(material, pricing, plan, target=target)
    if not (material.snapshot.passages or often_of(material)):
        return (
            blocks.added_to(parts_by_value(material, pricing, target=target - blocks.tokens)) if blocks.shown else plan
        )
    policy, room = material.request.policy, target - blocks.tokens
    beside = room - least_assembly(material, pricing).largest
    share = int(policy.expand_share * room)
    again = expanded(material, pricing, most_tokens=min(share, beside))
    often, cost = taken_often(material, pricing, plan, target=target, room=beside - again.tokens)
    if again.tokens or often or blocks.tokens:
        left = room - again.tokens - cost
        plan = blocks.added_to(parts_by_value(material, pricing, target=left, in_detail=often))
    return plan._replace(
        expanded=again.passages, not_expanded=again.left_out, often=often, often_header=detail_header(policy),
        allotted=(*plan.allotted, ("expanded", share), ("often", int(policy.detail_share * target))),
    )  # fmt: skip


def _between(low: tuple[int, int], high: tuple[int, int], wanted: int) -> int:
    """The target that should cost `wanted`, interpolated between two targets and their costs."""
    (target, cost), (higher, higher_cost) = (low, high) if low[0] != high[0] else ((0, 0), high)
    return target + (higher - target) * (wanted - cost) // max(1, higher_cost - cost)
