"""Build all parts of a context: recent turns raw, anchors and names up to their shares, notes for the rest.

Notes are under one line for each group of neighbouring nodes, so that every turn is under exactly one line and can
be expanded from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from turnfold.assemble import recent
from turnfold.assemble.assembly import frame_tokens
from turnfold.assemble.by_value.ages import fill_by_age, take_notes_by_age
from turnfold.assemble.by_value.answers import Answers
from turnfold.assemble.by_value.draft import Draft
from turnfold.assemble.by_value.first_parts import take_first_parts
from turnfold.assemble.by_value.noted_past import NotedPast
from turnfold.assemble.by_value.raw_turns import first_raw_turns, show_more_raw
from turnfold.assemble.fixed_parts import fixed_plan
from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import Node

_ROUNDS: Final = 4


def parts_by_value(material: Material, pricing: Pricing, *, target: int, in_detail: Sequence[Node] = ()) -> Plan:
    """Plan of about `target` tokens; mandatory parts may cost more than that.

    Segments that are shown `in_detail` elsewhere have no notes in the plan but those about a query.
    """
    plan = fixed_plan(material)
    fixed = pricing.count(plan.system) + pricing.count(plan.task)
    if everything := recent.everything(material, pricing, room=target - fixed):
        return plan._replace(raw=everything, allotted=(("recent", target - fixed),))
    if _may_tell_more(material):
        fixed += frame_tokens(pricing, material.style)
    answers = Answers(material)
    plan = plan._replace(raw=first_raw_turns(material, pricing, answers, target=target, room=target - fixed))
    draft = Draft(material, pricing, plan, answers, target=target, fixed=fixed, in_detail=in_detail)
    finish = _take_the_past(draft)
    for _ in range(_ROUNDS):
        if not show_more_raw(draft):
            break
        finish = _take_the_past(draft)
    finish()
    return draft.plan


def _may_tell_more(material: Material) -> bool:
    """Whether anything may come before the recent turns."""
    snapshot = material.snapshot
    return snapshot.outline is not None or bool(snapshot.unread) or len(material.window) > LAST_TURNS


def _take_the_past(draft: Draft) -> Callable[[], None]:
    """Choose parts for all turns that are not raw; the returned function shows them, with more if enough is left."""
    if not draft.policy.bands:
        take_first_parts(draft)
        return NotedPast(draft).finish
    if not draft.plan.allotted:
        take_first_parts(draft)
    take_notes_by_age(draft, is_filling=False)
    return partial(fill_by_age, draft)
