"""Raw turns of the open tail within an allowance, clipped where necessary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, with_tool_groups
from turnfold.assemble.forms.render_text import unfolded_line, unread_line
from turnfold.assemble.last_turns import last_turns, reserve
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Block, Pricing
from turnfold.assemble.raw_turn import is_hidden, show, shown
from turnfold.contract.records import StoredTurn

_CLIPPED: Final = 400
"""Tokens to which turns without notes are clipped."""

_ROUNDEST: Final = 2**63
"""More than any power of two that divides the number of a turn."""


def everything(material: Material, pricing: Pricing, *, room: int) -> tuple[ShownTurn, ...]:
    """The whole conversation raw if it fits into `room` tokens, else nothing."""
    window = material.window
    if not window or window.seqs[0] != 1 or material.snapshot.unread:
        return ()
    if sum(window.tokens) > 2 * room and pricing.trusts_stored:
        return ()
    shown_turns = shown(material, pricing, window)
    if any(shown_turn.marker is not None for shown_turn in shown_turns) or pricing.raw(shown_turns) > room:
        return ()
    return shown_turns


def at_first(material: Material, pricing: Pricing, *, target: int, room: int) -> tuple[ShownTurn, ...]:
    """The last turns, after the rest of the open tail if its share holds it, else after the turns without notes."""
    last = last_turns(material, pricing, target=target, room=room)
    first_seq = last[0].turn.seq if last else material.last_seq + 1
    earlier = tuple(turn for turn in material.after(material.closed_seq) if turn.seq < first_seq)
    if not earlier:
        return last
    allowance = min(room, max(pricing.raw(last), reserve(material, target)))
    if may_fit(earlier, allowance):
        whole_tail = with_tool_groups([*shown(material, pricing, earlier), *last])
        unclipped = all(turn.marker is None or turn.hidden for turn in whole_tail[: len(earlier)])
        if unclipped and pricing.raw(whole_tail) <= allowance:
            return whole_tail
    outline = material.snapshot.outline
    noted_seq = 0 if material.snapshot.unread or outline is None else outline.tail_seq
    return _with_clipped(material, pricing, [turn for turn in earlier if turn.seq > noted_seq], last, allowance)


def _with_clipped(
    material: Material, pricing: Pricing, turns: Sequence[StoredTurn], last: tuple[ShownTurn, ...], allowance: int
) -> tuple[ShownTurn, ...]:
    """`last` with as many of the turns right before it as fit when clipped."""
    block = Block(pricing, last)
    shown_turns: list[ShownTurn] = []
    many = 0
    for turn in reversed(turns):
        shown_turn = show(material, pricing, turn, most_tokens=_CLIPPED)
        block.put_before(shown_turn)
        shown_turns.append(shown_turn)
        if turn.seq in material.inside_groups:
            continue
        if block.tokens > allowance:
            break
        many = len(shown_turns)
    return with_tool_groups([*reversed(shown_turns[:many]), *last]) if many else last


def may_fit(turns: Sequence[StoredTurn], most_tokens: int) -> bool:
    """False if the stored counts of the turns exceed the limit."""
    least = total = 0
    for turn in turns:
        total += turn.tokens
        if turn.kept is None and not is_hidden(turn):
            least += turn.tokens
    return least <= most_tokens and total <= 2 * most_tokens


def before(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int, step: int
) -> tuple[ShownTurn, ...]:
    """`raw` with whole turns of the window before it, for up to `room` more tokens; tool groups stay whole.

    Up to `step` tokens are given up for a beginning that stays the same while turns are appended: of the possible first
    turns, turn 1, or the one whose number is divisible by the highest power of two.
    """
    block = Block(pricing, raw)
    limit = block.tokens + room
    shown_turns: list[ShownTurn] = []
    starts = [(raw[0].turn.seq, block.tokens, 0)] if raw else []
    window = material.window
    for place in reversed(range(raw[0].turn.seq - window.seqs[0] if raw else len(window))):
        room -= window.tokens[place]
        if room < 0 or (turn := window[place]).kept is not None:
            break
        shown_turn = show(material, pricing, turn)
        block.put_before(shown_turn)
        shown_turns.append(shown_turn)
        if turn.seq in material.inside_groups:
            continue
        if block.tokens > limit:
            break
        starts.append((turn.seq, block.tokens, len(shown_turns)))
    if not starts:
        return raw
    least = starts[-1][1] - step
    _, many = max((_roundness(seq), many) for seq, tokens, many in starts if tokens >= least)
    return with_tool_groups([*reversed(shown_turns[:many]), *raw]) if many else raw


def _roundness(seq: int) -> int:
    """The highest power of two that divides a turn's number; the first turn, which none precedes, is the roundest."""
    return _ROUNDEST if seq == 1 else seq & -seq


def widened(material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int) -> tuple[ShownTurn, ...]:
    """`raw` with more of its newest clipped turn, for up to `room` more tokens; the same if none can grow."""
    limit = pricing.raw(raw) + room
    for i in reversed(
        [i for i, turn_shown in enumerate(raw) if turn_shown.marker is not None and not turn_shown.hidden]
    ):
        # Indented lines make clipped text cost slightly more than its words.
        for more in (room, room * 9 // 10, room // 2):
            cut_tokens = pricing.count(raw[i].content) + more
            shown_turn = show(material, pricing, raw[i].turn, most_tokens=cut_tokens)
            wider = with_tool_groups([*raw[:i], shown_turn, *raw[i + 1 :]])
            if len(shown_turn.content) > len(raw[i].content) and pricing.raw(wider) <= limit:
                return wider
    return raw


def lines_of(unfolded: tuple[int, int] | None, unread: int) -> list[str]:
    """Lines for turns that are neither folded nor shown: a range of stored ones, and a number of inbox turns."""
    lines = [unfolded_line(*unfolded)] if unfolded else []
    return [*lines, unread_line(unread)] if unread else lines
