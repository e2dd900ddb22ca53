"""The account of a context: which turns stand where, where the budget went, what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from turnfold.assemble.assembly import Assembly
from turnfold.assemble.context import BudgetReport, Coverage, LeftOut, PartReport, Span, SpanLevel
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.tags import TAGS_LEVEL
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.selection import Selection

_PARTS = ("system", "task", "anchors", "names", "background", "often", "excerpts", "expanded", "actions", "recent")


def coverage_of(plan: Plan) -> Coverage | None:
    """Every turn that has a number under exactly one span; None when none has one."""
    spans: list[Span] = []
    spans += map(_span_of, plan.groups)
    if plan.joined_turns:
        spans.append(Span(*plan.joined_turns, "range"))
    spans += [Span(one.node.first_seq, one.node.last_seq, _level(one.level)) for one in plan.shown]
    if plan.tail:
        spans.append(_span_of(plan.tail))
    if plan.unfolded:
        spans.append(Span(*plan.unfolded, "unfolded"))
    if plan.raw and not plan.unread:
        spans.append(Span(plan.raw[0].turn.seq, plan.raw[-1].turn.seq, 0))
    in_detail = tuple(Span(node.first_seq, node.last_seq, 1) for node in plan.often)
    return Coverage(tuple(spans), in_detail, plan.answers) if spans else None


def _span_of(group: Group) -> Span:
    return Span(group.first_seq, group.last_seq, 2 if group.notes else "range")


def budget_report(material: Material, found: Assembly, selection: Selection) -> BudgetReport:
    """What each part asked for, got and used, and what was left out."""
    request = material.request
    used = dict.fromkeys(_PARTS, 0)
    for part in found.parts:
        used[part.name] += part.tokens
    asked = _asked(material, used)
    allotted = {"system": used["system"], "task": used["task"], **dict(found.plan.allotted)}
    rest = max(0, request.usable_tokens - sum(allotted.values()))
    allotted.setdefault("background", rest)
    return BudgetReport(
        budget_tokens=request.budget_tokens,
        reserve_tokens=request.reserve_tokens,
        used_tokens=found.largest,
        text_tokens=found.tokens.text,
        openai_tokens=found.tokens.openai,
        anthropic_tokens=found.tokens.anthropic,
        parts=tuple([_part(name, asked[name], allotted.get(name, 0), used[name]) for name in _PARTS]),
        left_out=tuple(_left_out(material, found.plan, selection)),
    )


@lru_cache(maxsize=4_096)
def _part(name: str, asked: int, got: int, used: int) -> PartReport:
    """One value for equal parts: from read to read few of them change."""
    return PartReport(name=name, asked=asked, got=got, used=used)


def _asked(material: Material, used: dict[str, int]) -> dict[str, int]:
    snapshot = material.snapshot
    system = material.system_turn
    return {
        "system": max(used["system"], system.tokens if system else 0),
        "task": used["task"],
        "names": used["names"],
        "actions": used["actions"],
        "anchors": snapshot.head.anchor_tokens if snapshot.head else 0,
        "background": material.memo.of("asked", lambda: _folded_tokens(material)),
        "excerpts": sum(excerpt.turn.tokens for excerpt in snapshot.excerpts) if material.request.query else 0,
        "often": sum(one.node.tokens[1] for one in snapshot.head.often) if snapshot.head else 0,
        "expanded": sum(passage.expansion.tokens for passage in snapshot.passages),
        "recent": sum(material.window.tokens),
    }


def _folded_tokens(material: Material) -> int:
    """Of the turns of all that is folded."""
    outline = material.snapshot.outline
    return sum([one.tokens for one in outline.cover] if outline else [node.tokens[0] for node in material.roots])


def _left_out(material: Material, plan: Plan, selection: Selection) -> Iterator[LeftOut]:
    for section in material.request.sections_left_out:
        yield LeftOut(f"section {section!r} of the system text", "a larger budget_tokens")
    if plan.system_marker is not None:
        yield LeftOut("the rest of the system turn", plan.system_marker or "wait()")
    head = material.snapshot.head
    active = head.anchor_count if head else 0
    if active > len(plan.anchors) and plan.has_background:
        yield LeftOut(f"{active - len(plan.anchors)} of {active} anchors", "anchors()")
    if plan.joined_turns:
        first, last = plan.joined_turns
        yield LeftOut(f"turns {first} to {last}: only tags", turns_marker(first, last, level=TAGS_LEVEL))
    if plan.unfolded:
        first, last = plan.unfolded
        yield LeftOut(f"turns {first} to {last}: not folded yet", turns_marker(first, last))
    if plan.unread:
        yield LeftOut(f"about {plan.unread} turns that are still being stored", "wait()")
    for shown in plan.raw:
        if shown.marker is not None and not shown.hidden:
            named = f"turn {shown.turn.seq}" if shown.marker else "a turn that is still being stored"
            yield LeftOut(f"a part of {named}", shown.marker or "wait()")
    yield from _not_expanded(plan)
    if plan.has_background:
        yield from selection.not_repeated(material, plan)


def _not_expanded(plan: Plan) -> Iterator[LeftOut]:
    """What the caller asked to be expanded, and is not shown."""
    for marker in plan.not_expanded:
        yield LeftOut(f"what {marker} stands for: there is no room for it", marker)
    for passage in plan.expanded:
        if passage.goes_on is not None:
            yield LeftOut(f"a part of what {passage.marker} stands for", passage.goes_on)


def _level(level: int) -> SpanLevel:
    return 1 if level == 1 else 2 if level == 2 else 3
