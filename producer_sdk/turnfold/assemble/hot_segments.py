"""Frequently expanded segments, or hot ones by a policy's tiers, in more detail than their value alone would give."""

from __future__ import annotations

from turnfold.assemble.forms.render_text import IMPORTANT_HEADER, OFTEN_HEADER
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.policy import Policy
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import Node
from turnfold.contract.results import Often


def detail_header(policy: Policy) -> str:
    """Header above segments at level 1."""
    return OFTEN_HEADER if policy.tiers is None else IMPORTANT_HEADER


def often_of(material: Material) -> tuple[Often, ...]:
    """Segments that the policy counts as frequently expanded."""
    head = material.snapshot.head
    policy = material.request.policy
    # With tiers, `head.often` has the hot segments: all of them count.
    least = policy.often_after if policy.tiers is None else 0
    return tuple(segment for segment in head.often if segment.weight >= least) if head else ()


def folded_often(material: Material, plan: Plan) -> tuple[Often, ...]:
    """Frequently expanded segments that a plan does not show raw as a whole."""
    first_raw = plan.raw[0].turn.seq if plan.raw and not plan.unread else material.closed_seq + 1
    return tuple(segment for segment in often_of(material) if segment.node.first_seq < first_raw)


def taken_often(
    material: Material, pricing: Pricing, plan: Plan, *, target: int, room: int
) -> tuple[tuple[Node, ...], int]:
    """Segments that fit into their share and `room`, the most expanded first; returned in order, with their cost."""
    policy = material.request.policy
    most_tokens = min(int(policy.detail_share * target), room)
    spent = pricing.count(detail_header(policy))
    chosen: list[Node] = []
    for segment in sorted(folded_often(material, plan), key=lambda segment: (-segment.weight, segment.node.idx)):
        if material.detailed is not None and segment.node.idx not in material.detailed:
            continue
        price = pricing.node(segment.node, 1)
        if spent + price <= most_tokens:
            chosen.append(segment.node)
            spent += price
    return tuple(sorted(chosen, key=lambda node: node.idx)), spent if chosen else 0
