"""Which of the last actions are shown, and how: as many as there is room for, then in as many words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import ACTIONS_HEADER
from turnfold.assemble.pricing import Pricing
from turnfold.contract.actions import Action

_BRIEF: Final = 60
"""Code points of each half of an action in few words."""


def fitting_actions(
    actions: Sequence[Action], raw: Sequence[ShownTurn], most_tokens: int, pricing: Pricing
) -> tuple[str, ...]:
    """The header and a line for each of the actions that fit, in their order; empty when none does.

    First the last one, the last one that failed, and the newest of the others, each in few words; then in all their
    words, the newest first. What stands among the raw turns is not said again.
    """
    if not actions:
        return ()
    whole = {one.turn.seq for one in raw if one.marker is None}
    outcomes = Counter(action.ended for action in actions if not action.failed)
    lines: dict[int, tuple[str, str]] = {}
    left = most_tokens - pricing.count(ACTIONS_HEADER)
    taken: dict[int, str] = {}
    for place in _by_worth(actions):
        action = actions[place]
        if action.seq in whole:
            continue
        # An outcome that many have says nothing but that it went well.
        tells = action.ended_seq not in whole and (action.failed or outcomes[action.ended] == 1)
        brief, full = action.shown(ended=tells, longest=_BRIEF), action.shown(ended=tells)
        price = pricing.count(brief)
        if price <= left:
            left -= price
            taken[place] = brief
            lines[place] = (brief, full)
    for place in sorted(lines, reverse=True):
        brief, full = lines[place]
        more = pricing.count(full) - pricing.count(brief)
        if more <= left:
            left -= more
            taken[place] = full
    return (ACTIONS_HEADER, *(taken[place] for place in sorted(taken))) if taken else ()


def _by_worth(actions: Sequence[Action]) -> Iterable[int]:
    order = range(len(actions) - 1, -1, -1)
    failed = next((place for place in order if actions[place].failed), None)
    first = [place for place in (order[0] if actions else None, failed) if place is not None]
    return dict.fromkeys([*first, *order])
