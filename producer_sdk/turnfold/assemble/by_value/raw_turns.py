"""Choose which recent turns are shown raw: the last ones, then as many as their share or the tokens left over allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble import recent
from turnfold.assemble.by_value.answers import Answers
from turnfold.assemble.by_value.draft import WORTH_FILLING, Draft
from turnfold.assemble.forms.chat import ShownTurn, with_tool_groups
from turnfold.assemble.forms.render_text import clip_gap
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import is_hidden, largest, show
from turnfold.contract.records import Role, StoredTurn

_LINES_GROW: Final = 8
_LEAST_BEGUN: Final = 16
"""Minimum tokens of a clipped turn, without the gap that says where the rest is."""
_TALK: Final = 200
"""Tokens of a turn up to which its notes cover it: a longer one has code, lists or reasons too."""
_LARGE_ROOM: Final = 0.05
"""Share of a budget that is not left unused even if no whole turn fits into it."""
_SHORT: Final = 400
"""Tokens to which a turn longer than the room is cut if nothing else is left to show, so that earlier turns follow."""
_ROUNDS: Final = 8


def first_raw_turns(
    material: Material, pricing: Pricing, answers: Answers, *, target: int, room: int
) -> tuple[ShownTurn, ...]:
    """The recent turns to begin with; `room` is what system text and task leave of the target."""
    policy = material.request.policy
    if not policy.bands:
        return recent.at_first(material, pricing, target=target, room=room)
    shared = max(0, room - int(policy.anchors_share * target) - room_for_answers(material, answers, target))
    raw = recent.at_first(material, pricing, target=shared, room=room)
    return _raised(material, pricing, raw, most_tokens=int(policy.recent_share * shared))


def room_for_answers(material: Material, answers: Answers, target: int) -> int:
    """With bands, tokens that are kept for what a question adds."""
    policy = material.request.policy
    share = policy.excerpts_share if material.request.query else policy.steered_share
    return int(share * target) if answers.are_before(material.last_seq + 1) else 0


def raise_to_share(draft: Draft, most_tokens: int) -> None:
    """Show more turns raw until they cost `most_tokens`."""
    longer = _raised(draft.material, draft.pricing, draft.plan.raw, most_tokens=most_tokens)
    if longer is not draft.plan.raw:
        draft.show_raw(longer)


def show_more_raw(draft: Draft) -> bool:
    """Spend tokens that notes left over on more of the recent and earlier turns; True if more are shown."""
    if not draft.plan.raw:
        return False
    return (draft.is_worth_filling and _show_longer(draft)) or _show_more_of_last(draft)


def _show_longer(draft: Draft) -> bool:
    raw = draft.plan.raw
    # Lines above the raw turns may grow by some tokens when they cover fewer turns.
    room = draft.left - _LINES_GROW
    longer = _longer(draft.material, draft.pricing, raw, room=room, target=draft.target)
    if longer is raw and not draft.has_more_notes and room > _LARGE_ROOM * draft.target:
        longer = _around_a_long_one(draft.material, draft.pricing, raw, room=room)
    if longer is raw:
        return False
    left = room - draft.pricing.raw(longer) + draft.raw_tokens
    leads_on = left > _LARGE_ROOM * draft.target and _is_behind_output(draft.material, longer)
    telling = longer if leads_on else _from_telling(draft, longer, many=len(raw))
    if len(telling) < len(longer) and len(telling) == len(raw):
        return False
    draft.show_raw(telling)
    return True


def _show_more_of_last(draft: Draft) -> bool:
    """Show more of clipped turns, up to the share of recent turns, for tokens that the newest turn's matches left."""
    room = min(draft.left_by_answer, int(draft.policy.recent_share * draft.target) - draft.raw_tokens)
    if room <= WORTH_FILLING * draft.target:
        return False
    wider = recent.widened(draft.material, draft.pricing, draft.plan.raw, room=room - _LINES_GROW)
    if wider is draft.plan.raw:
        return False
    tokens_before = draft.raw_tokens
    draft.show_raw(wider)
    draft.taken_of_answer += draft.raw_tokens - tokens_before
    return True


def _from_telling(draft: Draft, longer: tuple[ShownTurn, ...], *, many: int) -> tuple[ShownTurn, ...]:
    """Drop leading turns that say too little, but for the last `many`: notes have their room."""
    first = 0
    while len(longer) - first > many and _tells_little(draft, longer[first].turn):
        if longer[first + 1].turn.seq in draft.material.inside_groups:
            break
        first += 1
    return with_tool_groups(longer[first:]) if first else longer


def _tells_little(draft: Draft, turn: StoredTurn) -> bool:
    """Whether a raw turn of the open tail says less than notes for as many tokens: 'Glad you had support'."""
    is_noted = draft.material.closed_seq < turn.seq <= draft.outline.tail_seq
    speaks = turn.role in {Role.USER, Role.ASSISTANT} and turn.tokens <= _TALK
    return is_noted and speaks and turn.seq not in draft.telling


def _raised(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, most_tokens: int
) -> tuple[ShownTurn, ...]:
    for _ in range(_ROUNDS):
        room = most_tokens - pricing.raw(raw)
        if room <= 0 or not raw:
            break
        longer = _longer(material, pricing, raw, room=room, target=most_tokens)
        if longer is raw:
            # Rather exceed the share by a few tokens than fall short by as many.
            return _with_one_cut(material, pricing, raw, room=2 * room, most_tokens=_LEAST_BEGUN)
        raw = longer
    return raw


def _longer(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int, target: int
) -> tuple[ShownTurn, ...]:
    """Show more of a clipped turn, else earlier turns, for up to `room` tokens; with bands also a part of a turn."""
    policy = material.request.policy
    longer = recent.widened(material, pricing, raw, room=room)
    if longer is raw:
        # The readable tokens cap the step: otherwise a larger budget would show less.
        readable = sum(material.window.tokens)
        step = int(policy.raw_step * min(target, readable))
        longer = recent.before(material, pricing, raw, room=room, step=step)
    # Tools print more than a budget holds: show a part of the output rather than nothing.
    cut = longer is raw and (policy.bands or (room > _LARGE_ROOM * target and _is_behind_output(material, raw)))
    return _with_one_cut(material, pricing, raw, room=room, most_tokens=room) if cut else longer


def _around_a_long_one(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int
) -> tuple[ShownTurn, ...]:
    """`raw` with a little of the turn before it, which is too long for the room, and whole turns before that one."""
    cut = _with_one_cut(material, pricing, raw, room=room, most_tokens=min(room, _SHORT))
    left = room - (pricing.raw(cut) - pricing.raw(raw))
    return raw if cut is raw else recent.before(material, pricing, cut, room=left, step=0)


def _is_behind_output(material: Material, raw: Sequence[ShownTurn]) -> bool:
    """Whether a tool's output is right before the turns."""
    place = raw[0].turn.seq - material.window.seqs[0] - 1
    return place >= 0 and material.window[place].role is Role.TOOL


def _with_one_cut(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int, most_tokens: int
) -> tuple[ShownTurn, ...]:
    """`raw` with the turn before it, cut to `most_tokens` without its gap, if `room` is enough.

    A tool group stays together: its longest turn is cut.
    """
    window = material.window
    place = raw[0].turn.seq - window.seqs[0] - 1
    following = raw
    while place >= 0 and is_hidden(window[place]):
        following = (show(material, pricing, window[place]), *following)
        place -= 1
    if place < 0:
        return raw
    first = place
    while first > 0 and window.seqs[first] in material.inside_groups:
        first -= 1
    group = [show(material, pricing, turn) for turn in window[first : place + 1]]
    sizes = [largest(pricing.turn(shown_turn)) for shown_turn in group]
    longest = sizes.index(max(sizes))
    turn, most_tokens = group[longest].turn, most_tokens - sum(sizes) + sizes[longest]
    limit = pricing.raw(raw) + room
    gap = clip_gap(material.marker_of(turn))
    least = _LEAST_BEGUN + pricing.count(gap)
    # A cut turn costs more than its words: its speaker, its day, indented lines.
    for cut_tokens in (most_tokens, most_tokens * 9 // 10, most_tokens * 3 // 4, most_tokens // 2, least):
        if cut_tokens < least:
            continue
        group[longest] = show(material, pricing, turn, most_tokens=cut_tokens)
        longer = with_tool_groups([*group, *following])
        if group[longest].content.strip() != gap.strip() and pricing.raw(longer) <= limit:
            return longer
    return raw
