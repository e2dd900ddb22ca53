"""Build the report of a context: coverage of turns, tokens by part, and what was left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from turnfold.assemble.assembly import Assembly
from turnfold.assemble.context import Coverage, LeftOut, PartReport, Report, Span
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.markers import COARSEST, node_marker, turns_marker
from turnfold.assemble.hot_segments import folded_often
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.contract.outlines import tail_anchors_of
from turnfold.contract.results import Snapshot

_PARTS = (
    "system", "task", "frame", "anchors", "names", "background", "often", "excerpts", "expanded", "actions", "recent",
)  # fmt: skip


def coverage_of(plan: Plan) -> Coverage | None:
    """Spans that cover every numbered turn exactly once; None when no turn has a number."""
    spans: list[Span] = []
    spans += map(_span_of, plan.groups)
    if plan.joined_turns:
        spans.append(Span(*plan.joined_turns, "range"))
    if plan.tail:
        spans.append(_span_of(plan.tail))
    if plan.unfolded:
        spans.append(Span(*plan.unfolded, "unfolded"))
    if plan.raw and not plan.unread:
        spans.append(Span(plan.raw[0].turn.seq, plan.raw[-1].turn.seq, 0))
    in_detail = tuple(Span(node.first_seq, node.last_seq, 1) for node in plan.often)
    return Coverage(tuple(spans), in_detail, plan.answers) if spans else None


def _span_of(group: Group) -> Span:
    return Span(group.first_seq, group.last_seq, "notes" if group.notes else "range")


def report_of(material: Material, found: Assembly) -> Report:
    """Report the tokens that each part wanted, got and used, and what was left out."""
    request = material.request
    used = dict.fromkeys(_PARTS, 0)
    for part in found.parts:
        used[part.name] += part.tokens
    asked_tokens = _asked(material, used)
    allotted = {"system": used["system"], "task": used["task"], "frame": used["frame"], **dict(found.plan.allotted)}
    rest = max(0, request.usable_tokens - sum(allotted.values()))
    allotted.setdefault("background", rest)
    return Report(
        budget_tokens=request.budget_tokens,
        reserve_tokens=request.reserve_tokens,
        used_tokens=found.largest,
        text_tokens=found.tokens.text,
        openai_tokens=found.tokens.openai,
        anthropic_tokens=found.tokens.anthropic,
        stable_tokens=found.stable.tokens,
        parts=tuple([_part(name, asked_tokens[name], allotted.get(name, 0), used[name]) for name in _PARTS]),
        left_out=tuple(_left_out(material, found.plan)),
        coverage=coverage_of(found.plan),
        answerable=material.snapshot.answerable,
        degraded=material.snapshot.degraded or material.snapshot.has_lost_postings,
        is_unknown=_is_unknown(material.snapshot),
    )


def _is_unknown(snapshot: Snapshot) -> bool:
    """Whether neither SQL nor the inbox has data; False if the inbox was not read."""
    return snapshot.head is None and not (snapshot.turns or snapshot.unread or snapshot.degraded)


@lru_cache(maxsize=4_096)
def _part(name: str, asked_tokens: int, got: int, used: int) -> PartReport:
    """Share one instance among equal parts: few of them change between reads."""
    return PartReport(name=name, asked=asked_tokens, got=got, used=used)


def _asked(material: Material, used: dict[str, int]) -> dict[str, int]:
    snapshot = material.snapshot
    return {
        "frame": used["frame"],
        "system": used["system"],
        "task": used["task"],
        "names": used["names"],
        "actions": used["actions"],
        "anchors": _active_anchors(snapshot)[1],
        "background": material.memo.of("asked", lambda: _folded_tokens(material)),
        "excerpts": sum(excerpt.turn.tokens for excerpt in snapshot.excerpts) if material.question else 0,
        "often": sum(segment.node.tokens[1] for segment in snapshot.head.often) if snapshot.head else 0,
        "expanded": sum(passage.expansion.tokens for passage in snapshot.passages),
        "recent": sum(material.window.tokens),
    }


def _active_anchors(snapshot: Snapshot) -> tuple[int, int]:
    """Number of active anchors of segments and the open tail, and their approximate tokens."""
    head = snapshot.head
    if head is None:
        return 0, 0
    tail = tail_anchors_of(snapshot.outline, head.closed_seq)
    return head.anchor_count + tail.more_active, head.anchor_tokens + sum(anchor.tokens for anchor in tail.active)


def _folded_tokens(material: Material) -> int:
    """Tokens of all folded turns."""
    outline = material.snapshot.outline
    return sum([covered.tokens for covered in outline.cover]) if outline else 0


def _left_out(material: Material, plan: Plan) -> Iterator[LeftOut]:
    for section in material.request.sections_left_out:
        yield LeftOut(f"section {section!r} of the system text", "a larger budget_tokens")
    if material.snapshot.has_lost_postings:
        yield LeftOut(
            "what earlier turns say about the question: search rows are being rebuilt", "context() again, in a moment"
        )
    active, tokens = _active_anchors(material.snapshot)
    if active > len(plan.anchors) and plan.has_background:
        left = tokens - sum(anchor.tokens for anchor in plan.anchors)
        yield LeftOut(f"{active - len(plan.anchors)} of {active} anchors", "anchors()", max(0, left))
    yield from _in_notes(material, plan)
    if plan.joined_turns:
        first, last = plan.joined_turns
        tokens = sum(node.tokens[0] for node in plan.joined)
        yield LeftOut(f"turns {first} to {last}: in a line", turns_marker(first, last, level=COARSEST), tokens)
    if plan.unfolded:
        first, last = plan.unfolded
        yield LeftOut(
            f"turns {first} to {last}: not folded yet", turns_marker(first, last), _raw_tokens(material, first, last)
        )
    if plan.unread:
        yield LeftOut(f"about {plan.unread} turns that are still being stored", "wait()")
    for shown_turn in plan.raw:
        if shown_turn.marker is not None and not shown_turn.hidden:
            named = f"turn {shown_turn.turn.seq}" if shown_turn.marker else "a turn that is still being stored"
            yield LeftOut(f"part of {named}", shown_turn.marker or "wait()", shown_turn.turn.tokens)
    yield from _not_expanded(plan)
    if plan.has_background and material.request.policy.detail_share:
        yield from _often_left_out(material, plan)


def _often_left_out(material: Material, plan: Plan) -> Iterator[LeftOut]:
    """Frequently expanded or hot segments that do not fit into their share."""
    why = "looked up often" if material.request.policy.tiers is None else "important"
    for node in [segment.node for segment in folded_often(material, plan) if segment.node not in plan.often]:
        yield LeftOut(
            f"the detail of turns {node.first_seq} to {node.last_seq}, which are {why}",
            node_marker(node, level=1, short=material.style.short),
        )


def _in_notes(material: Material, plan: Plan) -> Iterator[LeftOut]:
    """Turns that are shown only in notes, or by a line."""
    cover = material.snapshot.outline.cover if material.snapshot.outline else ()
    starts = [node.first_seq for node in cover]
    for group in plan.groups:
        nodes = cover[bisect_left(starts, group.first_seq) : bisect_right(starts, group.last_seq)]
        form = "notes" if group.notes else "a line"
        description = f"turns {group.first_seq} to {group.last_seq}: in {form}"
        yield LeftOut(description, group.marker, sum(node.tokens for node in nodes))
    if plan.tail:
        first, last = plan.tail.first_seq, plan.tail.last_seq
        yield LeftOut(f"turns {first} to {last}: in notes", plan.tail.marker, _raw_tokens(material, first, last))


def _raw_tokens(material: Material, first_seq: int, last_seq: int) -> int:
    """Tokens of turns of the window, by their stored counts."""
    window = material.window
    return sum(tokens for seq, tokens in zip(window.seqs, window.tokens, strict=True) if first_seq <= seq <= last_seq)


def _not_expanded(plan: Plan) -> Iterator[LeftOut]:
    """Markers that the caller asked to expand and that are not shown, or only in part."""
    for marker in plan.not_expanded:
        yield LeftOut(f"the text behind {marker}: it does not fit", marker)
    for passage in plan.expanded:
        if passage.goes_on is not None:
            yield LeftOut(f"part of the text behind {passage.marker}", passage.goes_on)
