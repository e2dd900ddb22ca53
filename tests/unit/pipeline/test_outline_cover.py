"""An outline covers the folded turns exactly once, as finely as its note tokens allow, and packing is lossless."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import wild_notes
from turnfold.contract.actions import Action
from turnfold.contract.notes import Covered, Note
from turnfold.contract.outlines import OUTLINE_TIERS, Outline, last_part, pack_outline, unpack_outline
from turnfold.contract.records import FAN_OUT
from turnfold_worker.pipeline.outline import COVER_TOKENS, NodeSize, choose_cover


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[NodeSize], int]:
    """Draw all nodes of a folded past with the tokens of their notes, and its last turn."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=150))
    tokens = draw(st.sampled_from([10, 300, 2_000, 9_000]))
    level: list[Covered] = []
    seq = 0
    for idx, size in enumerate(sizes):
        level.append(Covered(0, idx, seq + 1, seq + size, size * 10, "s"))
        seq += size
    nodes: list[Covered] = []
    while level:
        nodes += level
        groups = [level[i : i + FAN_OUT] for i in range(0, len(level) - FAN_OUT + 1, FAN_OUT)]
        level = [
            Covered(
                group[0].height + 1, group[0].idx // FAN_OUT, group[0].first_seq, group[-1].last_seq,
                sum(one.tokens for one in group), "c",
            )
            for group in groups
        ]  # fmt: skip
    return [NodeSize(one, draw(st.integers(0, tokens))) for one in nodes], seq


@given(trees())
@examples(80)
def test_a_cover_holds_every_turn_once_and_opens_only_what_its_notes_allow(tree: tuple[list[NodeSize], int]) -> None:
    nodes, last_seq = tree
    cover = choose_cover(nodes, last_seq=last_seq)
    assert cover[0].first_seq == 1
    assert cover[-1].last_seq == last_seq
    assert all(before.last_seq + 1 == after.first_seq for before, after in pairwise(cover))
    cost = {(one.covered.height, one.covered.idx): one.note_tokens for one in nodes}
    spent = sum(cost[one.height, one.idx] for one in cover)
    by_key = {(one.covered.height, one.covered.idx): one.covered for one in nodes}
    for one in cover:
        children = [(one.height - 1, one.idx * FAN_OUT + i) for i in range(FAN_OUT)]
        if one.height and all(key in by_key for key in children):
            grown = spent - cost[one.height, one.idx] + sum(cost[key] for key in children)
            assert grown > COVER_TOKENS, "a finer cover would have done"
    assert cover == choose_cover(list(reversed(nodes)), last_seq=last_seq)


@given(wild_notes, st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=5))
def test_an_outline_is_read_as_it_was_packed(found: list[Note], names: list[str]) -> None:
    kept = [note._replace(worth=0, weights="", gain=place) for place, note in enumerate(found)]
    outline = Outline(
        last_seq=40, cover=(Covered(0, 0, 1, 40, 400, "s"),), notes=tuple(kept), chapter_notes=tuple(kept[1:]),
        tail=tuple(kept[:3]), tail_seq=41, names=tuple(names), tail_names=tuple(names[:2]), said={"user": 7},
        tool_percent=3,
        actions=(Action(3, 4, "make", "Makefile", "ok", failed=False, looked=False),),
        tail_actions=(Action(41, 0, "make it", "", "", failed=False, looked=True),),
    )  # fmt: skip
    parts = pack_outline(outline)
    assert unpack_outline(sorted(parts.items())) == outline
    assert unpack_outline([(number, body) for number, body in parts.items() if number]) is None
    assert [last_part(tokens) for tokens in range(0, 60_000, 500)] == sorted(
        last_part(tokens) for tokens in range(0, 60_000, 500)
    )
    assert last_part(10**9) == last_part(OUTLINE_TIERS[-1])
