"""What is always shown: the system text, the task, and a line for whatever nothing else stands for."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import (
    BACKGROUND_HEADER,
    CONTINUED_HEADER,
    closed_line,
    task_part,
)
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import least_newest


def fixed_plan(material: Material) -> Plan:
    """A plan with what an operator says: a caller's system text, the system turns of the conversation, the task."""
    request = material.request
    system = "".join(closed_line(text) for text in (request.system, *operator_texts(material)) if text)
    return Plan(system=system.lstrip("\n"), task=task_part(request.task) if request.task else "")


def operator_texts(material: Material) -> list[str]:
    """The words of the system turns in order, each where it was said last, and none that the caller gives himself."""
    given = (material.request.system or "").strip()
    newest_first = dict.fromkeys(turn.content for turn in reversed(material.system_turns))
    return [text for text in reversed(newest_first) if text.strip() != given]


def needed_for_operators(material: Material, pricing: Pricing) -> int:
    """The usable tokens of which the system turns take no more than their share; 0 without any.

    They are never cut or left out: a guard rail that is pushed out of a context guards nothing.
    """
    tokens = sum(pricing.count(closed_line(text)) for text in operator_texts(material))
    return ceil(tokens / material.request.policy.system_share) if tokens else 0


def least_plan(material: Material) -> Plan:
    """The smallest context: fixed parts, one line for each kind of older turn, a few words of the newest turn."""
    return with_lines(fixed_plan(material)._replace(joined=material.roots), material, least_newest(material))


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


def header_tokens(lines: Sequence[str], pricing: Pricing, *, has_folded: bool, may_be_parted: bool) -> int:
    """At most the tokens of the background's headers, and of the lines for turns that are neither folded nor raw.

    With `may_be_parted` something else may stand between what is folded and these lines.
    """
    if not (has_folded or lines):
        return 0
    headers = [BACKGROUND_HEADER, *([CONTINUED_HEADER] if lines and may_be_parted else [])]
    return sum(map(pricing.count, [*headers, *lines]))
