"""The last turns: each at least begun, together within their share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, result_ids, with_tool_groups
from turnfold.assemble.forms.render_text import clip_gap
from turnfold.assemble.material import Material
from turnfold.assemble.policy import rounded_up
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import is_hidden, largest, least_newest, show, shown
from turnfold.contract.records import Role, StoredTurn

LAST_TURNS: Final = 4
"""Turns that begin in every context that has room for their beginnings."""

_LONGER: Final = 1.5
"""How much longer than usual the last turns may be before notes have to make room for them."""

_LEAST_BEGUN: Final = 16
"""Tokens of a turn that is begun, beside the gap that says where the rest is."""

_LEAST_TOLD: Final = 40
"""The same of a turn of an agent, which begins with a heading."""

_TRIES: Final = 4
"""Cuts that are tried before fewer turns are shown: a cut costs more than its words where lines are indented."""


def reserve(material: Material, target: int) -> int:
    """Tokens of a target that are kept free for what is not folded, the same until a fold.

    Those of the last turns, when they are longer than usual, and the open tail's share.
    """
    policy, outline = material.request.policy, material.snapshot.outline
    usual = int(_LONGER * LAST_TURNS * outline.tokens_a_turn) if outline is not None else 0
    usual = rounded_up(usual, int(policy.recent_step * target))
    return min(usual, policy.recent_room(target)) + int(policy.tail_share * target)


def last_turns(material: Material, pricing: Pricing, *, target: int, room: int) -> tuple[ShownTurn, ...]:
    """The last `LAST_TURNS` turns, each at least begun, within `recent_room` of the target.

    User turns are whole where they fit beside the beginnings of the others; if not all, the newest is where it fits
    `newest_share` beside these, and together they may then cost so much. Where an agent works it is the agent's newest
    turn, which says what it does next; rather fewer turns stand beside it than headings. Fewer turns where not even
    their beginnings fit half of the target. A tool call stays with its results.
    """
    turns = _last_of(material)
    if not turns:
        return ()
    policy = material.request.policy
    most_tokens = min(room, policy.recent_room(target))
    unclipped = shown(material, pricing, turns)
    if all(turn.marker is None for turn in unclipped) and pricing.raw(unclipped) <= most_tokens:
        return unclipped
    most_with_newest = min(room, int(policy.newest_share * target))
    users = _spoken_by(Role.USER, turns)
    if not users and (
        at_work := _at_work(
            material,
            pricing,
            turns,
            unclipped,
            most_tokens=most_tokens,
            most_at_work=min(room, int(policy.agent_share * target)),
        )
    ):
        return at_work
    shares = (
        (most_tokens, users),
        (most_tokens, users[-1:]),
        (most_with_newest, users[-1:]),
        (most_tokens, ()),
        (most_with_newest, ()),
    )
    for allowance, kept_whole in shares:
        clipped = _within(material, pricing, turns, unclipped, allowance, kept_whole)
        if clipped is not None:
            return clipped
    while len(turns) > 1:
        turns = turns[1:]
        if turns[0].seq in material.inside_groups:
            continue
        clipped = _within(material, pricing, turns, unclipped[-len(turns) :], most_with_newest, ())
        if clipped is not None:
            return clipped
    return least_newest(material)


def _spoken_by(role: Role, turns: Sequence[StoredTurn]) -> tuple[int, ...]:
    """The places of turns of a role that are no tool's results."""
    return tuple(place for place, turn in enumerate(turns) if turn.role is role and not result_ids(turn))


def _at_work(
    material: Material,
    pricing: Pricing,
    turns: Sequence[StoredTurn],
    unclipped: Sequence[ShownTurn],
    *,
    most_tokens: int,
    most_at_work: int,
) -> tuple[ShownTurn, ...] | None:
    """As many of the last turns as tell something beside the agent's newest turn; None if not even that does.

    That one is whole where it fits `most_at_work` with what a tool answered.
    """
    newest = max(_spoken_by(Role.ASSISTANT, turns), default=-1)
    starts = [
        first for first, turn in enumerate(turns[: newest + 1])
        if turn.seq not in material.inside_groups and turn.role is not Role.TOOL
    ]  # fmt: skip
    for kept_whole, allowance, tried in (
        (True, most_tokens, starts),
        (True, most_at_work, starts[-1:]),
        (False, most_tokens, starts),
    ):
        for first in tried:
            place = (newest - first,) if kept_whole else ()
            clipped = _within(
                material, pricing, turns[first:], unclipped[first:], allowance, place, least_begun=_LEAST_TOLD
            )
            if clipped is not None:
                return clipped
    return None


def _last_of(material: Material) -> tuple[StoredTurn, ...]:
    """The last turns that are shown, from the beginning of the tool group in which they begin."""
    window = material.window
    start, visible = len(window), 0
    while start and (visible < LAST_TURNS or window.seqs[start] in material.inside_groups):
        start -= 1
        visible += not is_hidden(window[start])
    return tuple(window[start:])


def _within(
    material: Material,
    pricing: Pricing,
    turns: Sequence[StoredTurn],
    unclipped: Sequence[ShownTurn],
    allowance: int,
    kept_whole: Sequence[int],
    *,
    least_begun: int = _LEAST_BEGUN,
) -> tuple[ShownTurn, ...] | None:
    """The turns, cut to their shares of `allowance` tokens, but for those at `kept_whole`; None if too dear."""
    sizes = [largest(pricing.turn(turn)) for turn in unclipped]
    around = pricing.raw(unclipped) - sum(sizes)
    least = [
        min(size, (_LEAST_BEGUN if turn.role is Role.TOOL else least_begun) + _gap_tokens(material, pricing, turn))
        for size, turn in zip(sizes, turns, strict=True)
    ]
    for place in kept_whole:
        least[place] = sizes[place]
    room = allowance - max(0, around)
    for _ in range(_TRIES):
        if sum(least) > room:
            return None
        shares = _shares(sizes, least, room)
        clipped = with_tool_groups(
            [
                turn if size <= share else _cut(material, pricing, turn, share)
                for turn, size, share in zip(unclipped, sizes, shares, strict=True)
            ]
        )
        over = pricing.raw(clipped) - allowance
        if over <= 0:
            return clipped
        room -= over
    return None


def _shares(sizes: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Tokens for each turn: all that it costs where its share holds that, newer turns having more of what is left."""
    shares = list(least)
    open_places = [place for place, size in enumerate(sizes) if size > least[place]]
    left = room - sum(least)
    while open_places and left > 0:
        weights = {place: place + 1 for place in open_places}
        step = left / sum(weights.values())
        filled = [place for place in open_places if sizes[place] - shares[place] <= int(step * weights[place])]
        if not filled:
            for place in open_places:
                shares[place] += int(step * weights[place])
            break
        for place in filled:
            left -= sizes[place] - shares[place]
            shares[place] = sizes[place]
            open_places.remove(place)
    return shares


def _cut(material: Material, pricing: Pricing, turn: ShownTurn, most_tokens: int) -> ShownTurn:
    """A turn that costs at most `most_tokens` with what stands around its words."""
    around = largest(pricing.turn(turn)) - pricing.words(turn)
    return show(material, pricing, turn.turn, most_tokens=max(1, most_tokens - around))


def _gap_tokens(material: Material, pricing: Pricing, turn: StoredTurn) -> int:
    return pricing.count(clip_gap(material.marker_of(turn)))
