"""Render one turn raw: whole, or clipped where necessary."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, whole, with_tool_groups
from turnfold.assemble.forms.clip import clip_middle, head_of
from turnfold.assemble.forms.clip_around import Focus, bare_lines, clip_around
from turnfold.assemble.forms.render_text import clip_gap, with_gap
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Pricing, SpokenTurn
from turnfold.contract.records import OPERATORS, Role, StoredTurn, TurnState
from turnfold.contract.terms import terms

_LEAST_WORDS: Final = 60
"""Code points of the newest turn in the smallest context; not in tokens, so that they are the same for every
counter."""

_LATER: Final = 3
"""Following turns that are searched for repeated lines: those shown raw with the turn."""

_LONGEST_CALL: Final = 600
"""Code points of a turn that says why a tool is called."""


def show(material: Material, pricing: Pricing, turn: StoredTurn, *, most_tokens: int | None = None) -> ShownTurn:
    """Render a turn, clipped when it costs more than `most_tokens` or the read left a part out."""
    if is_hidden(turn):
        return ShownTurn(turn, turn.content, hidden=True)
    shown_turn = whole(turn)
    fits = most_tokens is None or largest(pricing.turn(shown_turn)) <= most_tokens
    if fits and turn.kept is None and not turn.without_parts:
        return shown_turn
    marker = material.marker_of(turn)
    if most_tokens is None or pricing.count(turn.content) <= most_tokens:
        content = with_gap(turn, clip_gap(marker))
        if most_tokens is None or pricing.count(content) <= most_tokens:
            return ShownTurn(turn, content, marker=marker)
    gap = clip_gap(marker)
    content = clip_around(
        turn.content, most_tokens or 0, gap, pricing.count, kept=turn.kept, focus=focus_of(material, turn)
    )
    if gap.strip() not in content:
        # The whole text fits, but not with its label.
        content = clip_middle(turn.content, most_tokens or 0, gap, pricing.count)
    return ShownTurn(turn, content, marker=marker)


def focus_of(material: Material, turn: StoredTurn) -> Focus:
    """Focus for clipping a turn: terms of the query and of a tool's call, and lines that later turns repeat."""
    is_output = turn.role is Role.TOOL
    place = turn.seq - material.window.seqs[0] if material.window else -1
    asked_stems = material.asked_stems
    if is_output and 0 < place <= len(material.window):
        called_for = material.window[place - 1].content[:_LONGEST_CALL]
        asked_stems = tuple(dict.fromkeys([*asked_stems, *terms(called_for)]))
    later = (
        material.window[place + 1 : place + _LATER + 1]
        if place >= 0 and (is_output or turn.role is not Role.USER)
        else ()
    )
    return Focus(
        asked_stems,
        frozenset(chain.from_iterable(material.of_turn("lines", other, _lines_of) for other in later)),
        is_output,
    )


def _lines_of(turn: StoredTurn) -> list[str]:
    return bare_lines(turn.content)


def is_hidden(turn: StoredTurn) -> bool:
    """True for a turn that is shown in the system text instead, and for a deleted one."""
    return turn.role in OPERATORS or turn.state is TurnState.DELETED


def shown(material: Material, pricing: Pricing, turns: Iterable[StoredTurn]) -> tuple[ShownTurn, ...]:
    """Render turns without clipping them."""
    return with_tool_groups([show(material, pricing, turn) for turn in turns])


def least_newest(material: Material) -> tuple[ShownTurn, ...]:
    """The newest turn cut to a few words, the least that is always shown."""
    if not material.window:
        return ()
    turn = material.window[-1]
    if turn.role in OPERATORS:
        return (ShownTurn(turn, turn.content, hidden=True),)
    gap = clip_gap(material.marker_of(turn)).rstrip()
    content = turn.content
    if len(content) <= _LEAST_WORDS + len(gap) and not turn.parts and not turn.without_parts:
        return (whole(turn),)
    clipped = head_of(content, _LEAST_WORDS).rstrip() + gap
    return with_tool_groups([ShownTurn(turn, clipped, marker=material.marker_of(turn), native=False)])


def largest(spoken: SpokenTurn) -> int:
    return max(spoken.text, spoken.openai, spoken.anthropic)
