"""Raw turns: the open tail within an allowance, clipped where it must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, whole, with_tool_groups
from turnfold.assemble.forms.clip import clip_middle, head_of
from turnfold.assemble.forms.clip_around import Focus, bare_lines, clip_around
from turnfold.assemble.forms.render_text import clip_gap, unfolded_line, unread_line, with_gap
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Pricing, SpokenTurn
from turnfold.assemble.raw_block import Block
from turnfold.contract.records import Role, StoredTurn, TurnState
from turnfold.contract.terms import terms

_CAPS: Final = (1_600, 800, 400, 200, 100, 50)
"""Tokens to which turns of the tail are clipped, the first under which all of it fits."""

_NEWEST_FAVOUR: Final = 4
"""The newest turn may be this many times as long as the others."""

_LEAST_WORDS: Final = 60
"""Code points of the newest turn in the smallest context; without a counter, so that it is the same for all."""

LAST_TURNS: Final = 4
"""Turns that begin in every context that has room for their beginnings."""

_LONGER: Final = 1.5
"""How much longer than usual the last turns may be before notes have to make room for them."""

_LEAST_BEGUN: Final = 16
"""Tokens of a turn that is begun, beside the gap that says where the rest is."""

_LONGEST_CALL: Final = 600
"""Code points of a turn that says what a tool is called for."""

_TRIES: Final = 4
"""Cuts that are tried before fewer turns are shown: a cut costs more than its words where lines are indented."""

_ROUNDEST: Final = 2**63
"""More than any number of a turn is divided by."""


def show(material: Material, pricing: Pricing, turn: StoredTurn, *, most_tokens: int | None = None) -> ShownTurn:
    """A turn as it is shown: whole, or clipped when it costs more than `most_tokens` or the read left a part out."""
    if is_hidden(material, turn):
        return ShownTurn(turn, turn.content, hidden=True)
    shown = whole(turn)
    fits = most_tokens is None or largest(pricing.turn(shown)) <= most_tokens
    if fits and turn.kept is None and not turn.without_parts:
        return shown
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
        # All of it fits but for a label around it.
        content = clip_middle(turn.content, most_tokens or 0, gap, pricing.count)
    return ShownTurn(turn, content, marker=marker)


def focus_of(material: Material, turn: StoredTurn) -> Focus:
    """What a cut of a turn goes by: what is asked, or what a tool was called for, and what later turns show again."""
    is_output = turn.role is Role.TOOL
    place = turn.seq - material.window.seqs[0] if material.window else -1
    question = material.question or ""
    if is_output and place > 0:
        question = f"{question} {material.window[place - 1].content[:_LONGEST_CALL]}"
    later = material.window[place + 1 : place + LAST_TURNS] if place >= 0 and turn.role is not Role.USER else ()
    return Focus(
        tuple(dict.fromkeys(terms(question))),
        frozenset(line for other in later for line in bare_lines(other.content)),
        is_output,
    )


def is_hidden(material: Material, turn: StoredTurn) -> bool:
    """True for a turn that is shown as the system text instead, and for one without words."""
    return turn is material.system_turn or turn.state is TurnState.DELETED


def everything(material: Material, pricing: Pricing, *, room: int) -> tuple[ShownTurn, ...]:
    """The whole conversation raw if it fits into `room` tokens, else nothing."""
    window = material.window
    if not window or window.seqs[0] != 1 or material.snapshot.unread:
        return ()
    if sum(window.tokens) > 2 * room and pricing.trusts_stored:
        return ()
    found = shown(material, pricing, window)
    if any(one.marker is not None for one in found) or pricing.raw(found) > room:
        return ()
    return found


def at_first(material: Material, pricing: Pricing, *, target: int, room: int) -> tuple[ShownTurn, ...]:
    """The last turns; before them the rest of the open tail where its share holds it, else what has no notes yet."""
    last = last_turns(material, pricing, target=target, room=room)
    first_seq = last[0].turn.seq if last else material.last_seq + 1
    earlier = tuple(turn for turn in material.after(material.closed_seq) if turn.seq < first_seq)
    if not earlier:
        return last
    allowance = min(room, max(pricing.raw(last), reserve(material, target)))
    if may_fit(material, earlier, allowance):
        whole_tail = with_tool_groups([*shown(material, pricing, earlier), *last])
        unclipped = all(turn.marker is None or turn.hidden for turn in whole_tail[: len(earlier)])
        if unclipped and pricing.raw(whole_tail) <= allowance:
            return whole_tail
    outline = material.snapshot.outline
    noted_seq = 0 if material.snapshot.unread or outline is None else outline.tail_seq
    return _with_clipped(material, pricing, [turn for turn in earlier if turn.seq > noted_seq], last, allowance)


def reserve(material: Material, target: int) -> int:
    """Tokens of a target that are kept free for what is not folded, the same until a fold.

    Those of the last turns, when they are longer than usual, and the open tail's share.
    """
    policy, outline = material.request.policy, material.snapshot.outline
    usual = int(_LONGER * LAST_TURNS * outline.tokens_a_turn) if outline is not None else 0
    usual += -usual % max(1, int(policy.recent_step * target))
    return min(usual, int(policy.recent_share * target)) + int(policy.tail_share * target)


def last_turns(material: Material, pricing: Pricing, *, target: int, room: int) -> tuple[ShownTurn, ...]:
    """The last `LAST_TURNS` turns, each at least begun, within `recent_share` of the target.

    The newest user turn is whole where it fits `newest_share` beside the beginnings of the others; together they may
    then cost so much. Fewer turns where not even their beginnings fit half of the target. A tool call stays with its
    results.
    """
    turns = _last_of(material)
    if not turns:
        return ()
    policy = material.request.policy
    most = min(room, int(policy.recent_share * target))
    unclipped = shown(material, pricing, turns)
    if all(turn.marker is None for turn in unclipped) and pricing.raw(unclipped) <= most:
        return unclipped
    most_with_newest = min(room, int(policy.newest_share * target))
    newest_user = max((place for place, turn in enumerate(turns) if turn.role is Role.USER), default=-1)
    shares = ((most, newest_user), (most_with_newest, newest_user), (most, -1), (most_with_newest, -1))
    for allowance, kept_whole in shares:
        clipped = _within(material, pricing, turns, unclipped, allowance, kept_whole)
        if clipped is not None:
            return clipped
    while len(turns) > 1:
        turns = turns[1:]
        if turns[0].seq in material.inside_groups:
            continue
        clipped = _within(material, pricing, turns, unclipped[-len(turns) :], most_with_newest, -1)
        if clipped is not None:
            return clipped
    return least_newest(material)


def _last_of(material: Material) -> tuple[StoredTurn, ...]:
    """The last turns that are shown, from the beginning of the tool group in which they begin."""
    window = material.window
    start, visible = len(window), 0
    while start and (visible < LAST_TURNS or window.seqs[start] in material.inside_groups):
        start -= 1
        visible += not is_hidden(material, window[start])
    return tuple(window[start:])


def _within(
    material: Material,
    pricing: Pricing,
    turns: Sequence[StoredTurn],
    unclipped: Sequence[ShownTurn],
    allowance: int,
    kept_whole: int,
) -> tuple[ShownTurn, ...] | None:
    """The turns, cut to their shares of `allowance` tokens, but for the one at `kept_whole`; None if too dear."""
    sizes = [largest(pricing.turn(turn)) for turn in unclipped]
    around = pricing.raw(unclipped) - sum(sizes)
    least = [
        min(size, _LEAST_BEGUN + _gap_tokens(material, pricing, turn)) for size, turn in zip(sizes, turns, strict=True)
    ]
    if kept_whole >= 0:
        least[kept_whole] = sizes[kept_whole]
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


def _with_clipped(
    material: Material, pricing: Pricing, turns: Sequence[StoredTurn], last: tuple[ShownTurn, ...], allowance: int
) -> tuple[ShownTurn, ...]:
    """`last` with as many of the turns right before it as fit when they are clipped."""
    pending: list[ShownTurn] = []
    kept = last
    for turn in reversed(turns):
        pending.insert(0, show(material, pricing, turn, most_tokens=_CAPS[2]))
        if turn.seq in material.inside_groups:
            continue
        longer = with_tool_groups([*pending, *kept])
        if pricing.raw(longer) > allowance:
            break
        kept, pending = longer, []
    return kept


def may_fit(material: Material, turns: Sequence[StoredTurn], most_tokens: int) -> bool:
    """False where the words of turns alone cost more by their stored counts."""
    least = total = 0
    for turn in turns:
        total += turn.tokens
        if turn.kept is None and turn is not material.system_turn and turn.state is not TurnState.DELETED:
            least += turn.tokens
    return least <= most_tokens and total <= 2 * most_tokens


def shown(material: Material, pricing: Pricing, turns: Iterable[StoredTurn]) -> tuple[ShownTurn, ...]:
    """Turns as they are shown when nothing has to be clipped."""
    return with_tool_groups([show(material, pricing, turn) for turn in turns])


def before(
    material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int, step: int
) -> tuple[ShownTurn, ...]:
    """`raw` with whole turns of the window before it, for up to `room` more tokens; tool groups stay whole.

    Up to `step` tokens of these are given up for a beginning that stays the same while turns are appended: of the turns
    that may come first, the first one of all or the one whose number is the multiple of the highest power of two.
    """
    block = Block(pricing, raw)
    limit = block.tokens + room
    found: list[ShownTurn] = []
    starts = [(raw[0].turn.seq, block.tokens, 0)] if raw else []
    window = material.window
    for place in reversed(range(raw[0].turn.seq - window.seqs[0] if raw else len(window))):
        room -= window.tokens[place]
        if room < 0 or (turn := window[place]).kept is not None:
            break
        shown = show(material, pricing, turn)
        block.put_before(shown)
        found.append(shown)
        if turn.seq in material.inside_groups:
            continue
        if block.tokens > limit:
            break
        starts.append((turn.seq, block.tokens, len(found)))
    if not starts:
        return raw
    least = starts[-1][1] - step
    _, many = max((_roundness(seq), many) for seq, tokens, many in starts if tokens >= least)
    return with_tool_groups([*reversed(found[:many]), *raw]) if many else raw


def _roundness(seq: int) -> int:
    """The highest power of two that divides it; the first turn is the roundest, as none comes before it."""
    return _ROUNDEST if seq == 1 else seq & -seq


def widened(material: Material, pricing: Pricing, raw: tuple[ShownTurn, ...], *, room: int) -> tuple[ShownTurn, ...]:
    """`raw` with more of the newest turn that is clipped, for up to `room` more tokens; the same when none can grow."""
    limit = pricing.raw(raw) + room
    for i in reversed([i for i, one in enumerate(raw) if one.marker is not None and not one.hidden]):
        # What is clipped costs a little more than its words where lines have to be indented.
        for more in (room, room * 9 // 10, room // 2):
            most = pricing.count(raw[i].content) + more
            shown = show(material, pricing, raw[i].turn, most_tokens=most)
            wider = with_tool_groups([*raw[:i], shown, *raw[i + 1 :]])
            if len(shown.content) > len(raw[i].content) and pricing.raw(wider) <= limit:
                return wider
    return raw


def lines_of(unfolded: tuple[int, int] | None, unread: int) -> list[str]:
    """Lines for turns that are neither folded nor shown: those of a range, and so many that wait."""
    lines = [unfolded_line(*unfolded)] if unfolded else []
    return [*lines, unread_line(unread)] if unread else lines


def tail(
    material: Material, pricing: Pricing, turns: tuple[StoredTurn, ...], *, allowance: int
) -> tuple[ShownTurn, ...]:
    """The newest turns, newest favoured: all of them, clipped ones, or as many as fit.

    `allowance` is in tokens and may be exceeded by the newest turn alone. What is before it is left to a line.
    """
    if not turns:
        return ()
    if _stored_size(turns) <= 2 * allowance:
        shown = with_tool_groups([show(material, pricing, turn) for turn in turns])
        if pricing.raw(shown) <= allowance:
            return shown
    words = [pricing.words(whole(turn)) for turn in turns]
    for cap in _CAPS:
        if sum(min(many, cap) for many in words) > allowance:
            continue
        shown = _clipped(material, pricing, turns, cap=cap, allowance=allowance)
        if pricing.raw(shown) <= allowance:
            return shown
    return _newest(material, pricing, turns, allowance=allowance)


def least_newest(material: Material) -> tuple[ShownTurn, ...]:
    """The newest turn, cut to a few words: the least that is always shown."""
    if not material.window:
        return ()
    turn = material.window[-1]
    if turn is material.system_turn:
        return (ShownTurn(turn, turn.content, hidden=True),)
    gap = clip_gap(material.marker_of(turn)).rstrip()
    content = turn.content
    if len(content) <= _LEAST_WORDS + len(gap) and not turn.parts and not turn.without_parts:
        return (whole(turn),)
    clipped = head_of(content, _LEAST_WORDS).rstrip() + gap
    return with_tool_groups([ShownTurn(turn, clipped, marker=material.marker_of(turn), native=False)])


def largest(spoken: SpokenTurn) -> int:
    return max(spoken.text, spoken.openai, spoken.anthropic)


def _stored_size(turns: tuple[StoredTurn, ...]) -> int:
    return sum(turn.tokens for turn in turns)


def _clipped(
    material: Material, pricing: Pricing, turns: tuple[StoredTurn, ...], *, cap: int, allowance: int
) -> tuple[ShownTurn, ...]:
    newest_cap = max(cap, min(cap * _NEWEST_FAVOUR, allowance // 2))
    caps = [cap] * (len(turns) - 1) + [newest_cap]
    return with_tool_groups(
        [show(material, pricing, turn, most_tokens=most) for turn, most in zip(turns, caps, strict=True)]
    )


def _newest(
    material: Material, pricing: Pricing, turns: tuple[StoredTurn, ...], *, allowance: int
) -> tuple[ShownTurn, ...]:
    """As many of the newest turns as fit when clipped hard; at least the newest one."""
    last = show(material, pricing, turns[-1], most_tokens=allowance // 2)
    kept: tuple[ShownTurn, ...] = with_tool_groups([last])
    says_nothing = last.marker is not None and last.content == clip_gap(last.marker).strip()
    if says_nothing or pricing.raw(kept) > allowance:
        return least_newest(material)
    pending: list[ShownTurn] = []
    for turn in reversed(turns[:-1]):
        pending.insert(0, show(material, pricing, turn, most_tokens=_CAPS[-1]))
        if turn.seq in material.inside_groups:
            continue
        longer = with_tool_groups([*pending, *kept])
        if pricing.raw(longer) > allowance:
            break
        kept = longer
        pending = []
    return kept
