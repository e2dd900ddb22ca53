"""Parts that are always shown: the system text, the task, and a line for turns that no other part covers."""

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
    """Plan with the caller's system text, the system turns of the conversation and the task."""
    request = material.request
    system = "".join(closed_line(text) for text in (request.system, *operator_texts(material)) if text)
    return Plan(system=system.lstrip("\n"), task=task_part(request.task) if request.task else "")


def operator_texts(material: Material) -> list[str]:
    """Distinct texts of the system turns in order of their last occurrence, without the caller's own."""
    given = (material.request.system or "").strip()
    newest_first = dict.fromkeys(turn.content for turn in reversed(material.system_turns))
    return [text for text in reversed(newest_first) if text.strip() != given]


def needed_for_operators(material: Material, pricing: Pricing) -> int:
    """Usable tokens from which the system turns stay within their share; 0 without any.

    System turns are never cut or left out: a guard rail that is pushed out of a context guards nothing.
    """
    tokens = sum(pricing.count(closed_line(text)) for text in operator_texts(material))
    return ceil(tokens / material.request.policy.system_share) if tokens else 0


def least_plan(material: Material) -> Plan:
    """The smallest context: fixed parts, one line for each kind of older turn, a few words of the newest turn."""
    return with_lines(fixed_plan(material)._replace(joined=material.roots), material, least_newest(material))


def with_lines(plan: Plan, material: Material, raw: tuple[ShownTurn, ...]) -> Plan:
    """Set a plan's recent turns, and the lines for turns between the nodes and the recent turns."""
    unfolded, unread = not_shown(material, raw)
    return plan._replace(raw=raw, unfolded=unfolded, unread=unread)


def not_shown(material: Material, raw: tuple[ShownTurn, ...]) -> tuple[tuple[int, int] | None, int]:
    """Range of turns between the nodes and the recent ones, and the approximate number of inbox turns not shown."""
    first = material.closed_seq + 1
    last = (raw[0].turn.seq if raw else material.last_seq + 1) - 1
    snapshot = material.snapshot
    if not snapshot.unread:
        return (first, last) if first <= last else None, 0
    last = min(last, snapshot.head.turn_count if snapshot.head else 0)
    return (first, last) if first <= last else None, snapshot.unread + len(material.window) - len(raw)


def header_tokens(lines: Sequence[str], pricing: Pricing, *, has_folded: bool, may_be_parted: bool) -> int:
    """Upper bound of the tokens of the background's headers, and of lines for turns neither folded nor raw.

    With `may_be_parted`, other parts may separate the notes of folded turns from these lines.
    """
    if not (has_folded or lines):
        return 0
    headers = [BACKGROUND_HEADER, *([CONTINUED_HEADER] if lines and may_be_parted else [])]
    return sum(map(pricing.count, [*headers, *lines]))
