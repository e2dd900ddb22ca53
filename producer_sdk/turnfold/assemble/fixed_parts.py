"""What is always shown: the system text, the task, and a line for whatever nothing else stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.render_text import (
    BACKGROUND_HEADER,
    CONTINUED_HEADER,
    clip_gap,
    closed_line,
    task_part,
)
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import least_newest
from turnfold.tokens import Counter

_LEAST_SYSTEM: Final = 200
"""Code points of a system turn in the smallest context."""


def fixed_plan(material: Material, pricing: Pricing, *, target: int) -> Plan:
    """A plan with system text and task only. A system turn is clipped to its share; a caller's text never is."""
    request = material.request
    task = task_part(request.task) if request.task else ""
    if request.system is not None:
        return Plan(system=closed_line(request.system) if request.system else "", task=task)
    turn = material.system_turn
    if turn is None:
        return Plan(task=task)
    text = closed_line(turn.content)
    share = int(request.policy.system_share * target)
    if turn.kept is None and (len(turn.content) <= _LEAST_SYSTEM or pricing.count(text) <= share):
        return Plan(system=text, task=task)
    least = least_system(material)
    marker = material.marker_of(turn)
    gap = closed_line(clip_gap(marker).rstrip())
    beginning = turn.content[: turn.kept]
    kept, _ = clip_text(beginning, share - pricing.count(gap) - 1, Counter("", pricing.count))
    kept = kept.rstrip()
    if len(kept) <= _LEAST_SYSTEM:
        return Plan(system=least, system_marker=marker, task=task)
    return Plan(system=kept + gap, system_marker=marker, task=task)


def least_system(material: Material) -> str:
    """The system turn's first words, whatever a counter says of them."""
    turn = material.system_turn
    if turn is None:
        return ""
    if len(turn.content) <= _LEAST_SYSTEM:
        return closed_line(turn.content)
    gap = clip_gap(material.marker_of(turn)).rstrip()
    return closed_line(turn.content[:_LEAST_SYSTEM].rstrip() + gap)


def least_plan(material: Material) -> Plan:
    """The smallest context: fixed parts, one line for each kind of older turn, a few words of the newest turn."""
    request = material.request
    system = least_system(material) if request.system is None else closed_line(request.system or "")
    turn = material.system_turn
    clipped = request.system is None and turn is not None and len(turn.content) > _LEAST_SYSTEM
    plan = Plan(
        system=system.lstrip("\n"),
        system_marker=material.marker_of(turn) if clipped and turn else None,
        task=task_part(request.task) if request.task else "",
        joined=material.roots,
    )
    return with_lines(plan, material, least_newest(material))


def with_lines(plan: Plan, material: Material, raw: tuple[ShownTurn, ...]) -> Plan:
    """The plan with these recent turns, and lines for the turns between the nodes and them."""
    unfolded, unread = not_shown(material, raw)
    return plan._replace(raw=raw, unfolded=unfolded, unread=unread)


def not_shown(material: Material, raw: tuple[ShownTurn, ...]) -> tuple[tuple[int, int] | None, int]:
    """The turns between the nodes and the recent ones, and about how many of the inbox are not shown."""
    first = material.closed_seq + 1
    last = (raw[0].turn.seq if raw else material.last_seq + 1) - 1
    snapshot = material.snapshot
    if not snapshot.unread:
        return (first, last) if first <= last else None, 0
    last = min(last, snapshot.head.turn_count if snapshot.head else 0)
    return (first, last) if first <= last else None, snapshot.unread + len(material.window) - len(raw)


def frame_tokens(lines: Sequence[str], pricing: Pricing, *, has_folded: bool, may_be_parted: bool) -> int:
    """At most the tokens of the background's headers, and of the lines for turns that are neither folded nor raw.

    With `may_be_parted` something else may stand between what is folded and these lines.
    """
    if not (has_folded or lines):
        return 0
    headers = [BACKGROUND_HEADER, *([CONTINUED_HEADER] if lines and may_be_parted else [])]
    return sum(map(pricing.count, [*headers, *lines]))
