"""Anchors by rank, names by score and the last actions, each up to its share."""

from __future__ import annotations

from typing import Final

from turnfold.assemble.by_value.draft import Draft
from turnfold.assemble.by_value.fitting import fitting_anchors, fitting_late_names, fitting_names
from turnfold.assemble.by_value.latest_actions import fitting_actions
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.forms.render_text import names_line
from turnfold.assemble.policy import AnchorsRoom

_ALL_FOR_NAMES: Final = 1_000
"""Tokens of a budget beyond which names have less of it: the best ones stand there already."""
_LATE_NAMES: Final = 6
"""One part in six of what names may have is at most for those of turns that are not folded yet."""
_DEARER: Final = 1.1
"""How much less than the budget a target may be before the share of anchors is less too."""


def take_first_parts(draft: Draft) -> None:
    """Anchors, names and actions; anchors of turns that are shown raw stand there."""
    material, pricing, policy, outline = draft.material, draft.pricing, draft.policy, draft.outline
    actions = material.memo.of("actions", lambda: outline.all_actions)
    room = draft.target - draft.fixed - draft.raw_tokens - draft.frame_tokens
    # The same whatever the actions are: what they leave is for the end.
    for_actions = min(int(policy.actions_share * draft.target) if actions else 0, max(0, room // 2))
    room -= for_actions
    # Half of the room at most: a context of anchors alone says nothing else.
    for_anchors = AnchorsRoom.of(policy, target=_first_target(draft), most=room // 2, most_with_pins=room)
    draft.anchors_by = ("anchors", draft.first_raw_at_first, for_anchors, draft.target)
    top = TopAnchors.of(material.snapshot.anchors)
    anchors = material.memo.of(
        draft.anchors_by, lambda: fitting_anchors(top, draft.first_raw_at_first, for_anchors, pricing)
    )
    room -= anchors.tokens
    most_names = _names_share(draft)
    for_names = max(0, min(room, most_names))
    for_late = for_names // (_LATE_NAMES if outline.names else 1)
    names = fitting_names(outline.names, for_names - for_late, pricing)
    late = fitting_late_names(outline.tail_names, names, for_late, pricing) if draft.frame.tail else ()
    named = pricing.count(names_line(names)) if names else 0
    room -= named + for_late
    lines = fitting_actions(actions, draft.plan.raw, for_actions, pricing)
    changing = (*lines, *([names_line(late)] if late else []))
    draft.kept_free = for_actions + for_late - sum(map(pricing.count, changing))
    draft.plan = draft.plan._replace(
        anchors=anchors.anchors, names=names, late_names=late, actions=lines,
        allotted=(
            ("anchors", max(int(policy.anchors_share * draft.target), anchors.tokens)),
            ("names", most_names),
            ("actions", for_actions),
            ("recent", int(policy.recent_share * draft.target)),
        ),
    )  # fmt: skip
    draft.left = room
    draft.first_tokens = for_actions + anchors.tokens + named + for_late
    draft.anchor_words = anchors.words


def _first_target(draft: Draft) -> int:
    """What the first attempt aimed at, the same for reads that ask other things; less for a dearer counter."""
    return min(draft.usable, int(_DEARER * draft.target))


def _names_share(draft: Draft) -> int:
    """Tokens that names may have: what tools said of all, of a small budget; a quarter of it of what is beyond."""
    if draft.policy.bands:
        return 0
    counted = min(draft.target, _ALL_FOR_NAMES) + max(0, draft.target - _ALL_FOR_NAMES) // 4
    return draft.outline.tool_percent * counted // 100
