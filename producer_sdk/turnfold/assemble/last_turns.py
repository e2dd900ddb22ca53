"""Fit the last turns into their share, each at least begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, with_tool_groups
from turnfold.assemble.forms.render_text import clip_gap
from turnfold.assemble.material import Material
from turnfold.assemble.policy import rounded_up
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import is_hidden, largest, least_newest, show, shown
from turnfold.contract.records import Role, StoredTurn

LAST_TURNS: Final = 4
"""Turns whose beginnings are in every context that has room for them."""

_LONGER: Final = 1.5
"""Factor over the usual length of the last turns up to which notes leave room for them."""

_LEAST_BEGUN: Final = 16
"""Minimum tokens of a clipped turn, without the gap that says where the rest is."""

_LEAST_TOLD: Final = 40
"""Minimum tokens of an agent's clipped turn, which begins with a heading."""

_TRIES: Final = 4
"""Cuts tried before fewer turns are shown: indented lines make a cut cost more than its words."""


def reserve(material: Material, target: int) -> int:
    """Tokens of a target that are kept free for turns that are not folded, the same until a fold.

    Room for last turns that are longer than usual, and the open tail's share.
    """
    policy, outline = material.request.policy, material.snapshot.outline
    usual = int(_LONGER * LAST_TURNS * outline.tokens_a_turn) if outline is not None else 0
    usual = rounded_up(usual, int(policy.recent_step * target))
    return min(usual, policy.recent_room(target)) + int(policy.tail_share * target)


def last_turns(material: Material, pricing: Pricing, *, target: int, room: int) -> tuple[ShownTurn, ...]:
    """The last `LAST_TURNS` turns, each at least begun, within `recent_room` of the target.

    User turns are whole where they fit with the beginnings of the others; if not all do, the newest one is, and then
    the turns may cost up to `newest_share` together. Without a user turn among them an agent is at work: its newest
    turn, which says what it does next, comes first, and other turns are dropped rather than cut to their headings.
    Fewer turns are shown where not even their beginnings fit `newest_share`. A tool call stays with its results.
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
    return tuple(place for place, turn in enumerate(turns) if turn.role is role)


def _at_work(
    material: Material,
    pricing: Pricing,
    turns: Sequence[StoredTurn],
    unclipped: Sequence[ShownTurn],
    *,
    most_tokens: int,
    most_at_work: int,
) -> tuple[ShownTurn, ...] | None:
    """As many of the last turns as fit with the agent's newest turn; None if not even that one fits.

    The newest turn is whole where it fits `most_at_work` with the tool's answer.
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
    """The last visible turns, from the beginning of the tool group in which they begin."""
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
    """Cut the turns to shares of `allowance` tokens, but for those at `kept_whole`; None if they do not fit."""
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
    """Tokens for each turn: its full cost where its share covers that; newer turns get more of the rest."""
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
    """Cut a turn to `most_tokens`, including its label and message overhead."""
    around = largest(pricing.turn(turn)) - pricing.words(turn)
    return show(material, pricing, turn.turn, most_tokens=max(1, most_tokens - around))


def _gap_tokens(material: Material, pricing: Pricing, turn: StoredTurn) -> int:
    return pricing.count(clip_gap(material.marker_of(turn)))
