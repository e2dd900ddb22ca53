"""The two phases of a read: `choose` which texts are needed, then `finish` the context with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final

from turnfold.assemble.assembly import Assembly, assemble, markers_of
from turnfold.assemble.by_age.selection import select_by_age
from turnfold.assemble.by_value.selection import select_by_value
from turnfold.assemble.context import Context
from turnfold.assemble.expanded import expanded
from turnfold.assemble.fixed_parts import least_plan
from turnfold.assemble.forms.tags import TAGS_LEVEL, tag_sources
from turnfold.assemble.material import Material, gather
from turnfold.assemble.memo import Memo
from turnfold.assemble.often import often_of, taken_often
from turnfold.assemble.plan import Choice, Plan
from turnfold.assemble.policy import Policy
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.recent import everything
from turnfold.assemble.report import budget_report, coverage_of
from turnfold.assemble.request import Request
from turnfold.contract.records import LevelKey, Node
from turnfold.contract.results import Snapshot
from turnfold.errors import InvalidBudget
from turnfold.tokens import ESTIMATOR

_ATTEMPTS: Final = 4
"""Finished contexts that are counted before the smallest one is taken."""

_SAFETY: Final = 0.004
"""Of the budget: kept back at each further attempt."""

_LESS: Final = 0.9
"""Of the budget: what a further attempt aims at while none has fitted."""

_STEPS: Final = 100
"""Steps of the budget in which a target is corrected."""

_ENOUGH_USED: Final = 0.01
"""Of the budget: with less than this to spare, no further context is tried."""

_LEAST_MOST: Final = 1_500
"""More than the smallest context costs by the estimator beside the caller's own texts: six short pieces of text."""

_MORE_TEXTS: Final = 1.6
"""Texts that are fetched for a caller's counter, in budgets: it may have room for more than stored counts say."""


def choose(snapshot: Snapshot, request: Request, memo: Memo | None = None) -> Choice:
    """Which texts `finish` needs, decided by stored counts: at most three for each node of the cut.

    `memo` is that of all reads of the same stored state; it makes them faster and changes nothing.
    """
    material = gather(snapshot, request, memo)
    target = max(0, request.usable_tokens)
    pricing = _pricing(material)
    plan = _selected(material, pricing, target=target)
    if request.policy.selection == "value":
        return Choice(tuple((0, node.idx, 1) for node in plan.often), plan, material, pricing)
    wanted = [one.key for one in plan.shown]
    if plan.tags_tokens:
        sources = tag_sources(plan.joined, most_tokens=max(target // 3, 200))
        wanted += [(node.height, node.idx, TAGS_LEVEL) for node in sources]
    if not request.counter.stored:
        wanted += _neighbours(material, plan, most_tokens=int(_MORE_TEXTS * target))
    return Choice(tuple(dict.fromkeys(wanted)), plan, material, pricing)


def _pricing(material: Material) -> Pricing:
    """Prices by stored counts, with what earlier reads of the same state counted."""
    key = ("pricing", material.style)
    make = partial(Pricing, ESTIMATOR, material.style)
    known = material.memo.of(key, make)
    return material.memo.anew(key, make) if known.is_full else known


def finish(snapshot: Snapshot, request: Request, choice: Choice, texts: Mapping[LevelKey, str]) -> Context:
    """The context, never above the budget in any of its forms by the request's counter.

    `texts` are those of `choice.wanted`; a missing one is shown as an empty line with its marker. Raises
    `InvalidBudget` naming the tokens that would do.
    """
    same = choice.material.snapshot is snapshot and choice.material.request == request
    material = choice.material if same else gather(snapshot, request)
    pricing = choice.pricing if same and request.counter.stored else Pricing(request.counter, material.style)
    found: Assembly | None = None
    if pricing.trusts_stored and _given(request, pricing) + _LEAST_MOST <= request.usable_tokens:
        found = _largest_fitting(material, pricing, choice, texts)
    if found is None:
        least = _assembled(least_plan(material), material, pricing)
        if least.largest > request.usable_tokens:
            least = _smallest(material, pricing, least)
            if least.largest > request.usable_tokens:
                raise _too_small(request, least)
        found = _largest_fitting(material, pricing, choice, texts) or least
    return _context(material, found)


def _given(request: Request, pricing: Pricing) -> int:
    """Tokens of what the caller wants to be shown whole."""
    return sum(pricing.count(text) for text in (request.system, request.task) if text)


def minimum_tokens(snapshot: Snapshot, request: Request) -> int:
    """The smallest budget for this request; every larger one works too. The request's own budget does not matter."""
    material = gather(snapshot, request)
    pricing = Pricing(request.counter, material.style)
    least = _smallest(material, pricing, _assembled(least_plan(material), material, pricing))
    return max(1, least.largest + request.reserve_tokens)


def _assembled(plan: Plan, material: Material, pricing: Pricing) -> Assembly:
    """A plan that shows no level."""
    return assemble(plan, {}, pricing=pricing, style=material.style)


def _smallest(material: Material, pricing: Pricing, least: Assembly) -> Assembly:
    """A conversation of a few words whole, where that costs less than the line that stands for older turns."""
    plan = least.plan
    if not plan.has_background or plan.system_marker is not None:
        return least
    fixed = pricing.count(plan.system) + pricing.count(plan.task)
    shown = everything(material, pricing, room=least.largest - fixed)
    if not shown:
        return least
    whole = _assembled(Plan(system=plan.system, task=plan.task, raw=shown), material, pricing)
    return min(whole, least, key=lambda one: one.largest)


def _largest_fitting(
    material: Material, pricing: Pricing, choice: Choice, texts: Mapping[LevelKey, str]
) -> Assembly | None:
    usable = material.request.usable_tokens
    if pricing.trusts_stored:
        found = assemble(choice.plan, texts, pricing=pricing, style=material.style)
        if found.largest <= usable:
            return found
    if material.request.policy.selection == "value":
        return _scaled(material, pricing, choice, texts)
    measured = Pricing(material.request.counter, material.style, texts=texts)
    best: Assembly | None = None
    fits, target = 0, usable
    for _ in range(_ATTEMPTS):
        plan = _selected(material, measured, target=target, seed=choice.plan)
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
        if target <= fits or 0 <= spare <= _ENOUGH_USED * usable:
            break
    return best


def _scaled(material: Material, counted: Pricing, choice: Choice, texts: Mapping[LevelKey, str]) -> Assembly | None:
    """The largest context that fits, chosen by stored counts for a target that is corrected by what it costs."""
    usable = material.request.usable_tokens
    best: Assembly | None = None
    target, plan = usable, choice.plan
    low, high = (0, 0), (0, 0)
    for attempt in range(_ATTEMPTS):
        found = assemble(plan, texts, pricing=counted, style=material.style)
        if found.largest > usable:
            high = (target, found.largest)
        else:
            low = (target, found.largest)
            best = found if best is None or found.largest > best.largest else best
        if best is not None and best.largest >= (1 - _ENOUGH_USED) * usable:
            break
        # What still fits nothing comes down faster: the smallest context is far smaller.
        wanted = usable * (1 - _SAFETY) * (1.0 if best is not None else _LESS**attempt)
        following = _between(low, high if high[0] else (target, found.largest), int(wanted))
        # In steps, so that the same past is chosen while the recent turns grow.
        following -= following % max(1, usable // _STEPS)
        if following in {low[0], high[0]}:
            break
        target = following
        plan = _selected(material, choice.pricing, target=target)
    return best


def _selected(material: Material, pricing: Pricing, *, target: int, seed: Plan | None = None) -> Plan:
    """A plan by the request's policy, with what is looked up often and what the caller asked to be expanded.

    Neither is repeated where all of the conversation is shown raw.
    """

    def chosen(most: int, in_detail: tuple[Node, ...] = ()) -> Plan:
        if material.request.policy.selection == "value":
            return select_by_value(material, pricing, target=most, in_detail=in_detail)
        return select_by_age(material, pricing, target=most, seed=seed)

    plan = chosen(target)
    by_age = material.request.policy.selection == "age"
    if not plan.has_background or not (material.snapshot.passages or (often_of(material) and not by_age)):
        return plan
    least = _assembled(least_plan(material), material, pricing).largest
    share = int(material.request.policy.expand_share * target)
    shown = expanded(material, pricing, most_tokens=min(share, target - least))
    room = target - least - shown.tokens
    often, cost = ((), 0) if by_age else taken_often(material, pricing, plan, target=target, room=room)
    rest = chosen(target - shown.tokens - cost, often) if shown.passages or often else plan
    return rest._replace(
        often=often, expanded=shown.passages, not_expanded=shown.left_out,
        allotted=(
            *rest.allotted, ("expanded", share), ("often", int(material.request.policy.often_share * target))
        ),
    )  # fmt: skip


def _between(low: tuple[int, int], high: tuple[int, int], wanted: int) -> int:
    """The target that costs `wanted`, on the line through two targets with what they cost."""
    (target, cost), (higher, higher_cost) = (low, high) if low[0] != high[0] else ((0, 0), high)
    return target + (higher - target) * (wanted - cost) // max(1, higher_cost - cost)


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


def _context(material: Material, found: Assembly) -> Context:
    request = material.request
    return Context(
        text=found.text,
        tokens=found.largest,
        counter=request.counter.name,
        budget=budget_report(material, found),
        markers=markers_of(found.plan, short=material.style.short),
        coverage=coverage_of(found.plan),
        system=found.system,
        chat=found.chat,
        request_key=_request_key(material),
        conversation_id=material.snapshot.conversation_id,
        stored_as=material.snapshot.head.id if material.snapshot.head else None,
    )


def _request_key(material: Material) -> str:
    """All of a request that a fingerprint depends on; of the counter only its name is known."""
    request = material.request
    return repr(
        (
            material.snapshot.conversation_id,
            request.budget_tokens,
            request.reserve_tokens,
            request.query,
            request.query_vector,
            request.system,
            request.task,
            _policy_key(request.policy),
            request.counter.name,
            request.expand,
        )
    )


@lru_cache(maxsize=64)
def _policy_key(policy: Policy) -> str:
    return repr(policy)


def _too_small(request: Request, least: Assembly) -> InvalidBudget:
    needed = least.largest + request.reserve_tokens
    given = [name for name in ("system", "task") if getattr(request, name)]
    shorter = f", or a shorter {' or '.join(given)} text" if given else ""
    reserved = f" beside the {request.reserve_tokens} that are reserved" if request.reserve_tokens else ""
    msg = (
        f"budget_tokens={request.budget_tokens} cannot hold what is always shown{reserved}: give at least {needed} "
        f"tokens{shorter}"
    )
    return InvalidBudget(msg, needed_tokens=needed)
