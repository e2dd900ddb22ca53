from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble import Marker, NodeTarget, TurnsTarget, format_marker, parse_marker
from turnfold.contract.records import MAX_HEIGHT, Node
from turnfold.errors import UnknownMarker

levels = st.integers(0, 3)
nodes = st.builds(NodeTarget, st.integers(0, MAX_HEIGHT), st.integers(0, 10**9))
turns = st.builds(lambda first, more: TurnsTarget(first, first + more), st.integers(1, 10**9), st.integers(0, 10**6))
resumed = st.builds(
    lambda first, more, offset: Marker(0, TurnsTarget(first, first + more, offset)),
    st.integers(1, 10**9), st.integers(0, 10**6), st.integers(0, 10**8),
)  # fmt: skip
parts = st.builds(
    lambda seq, offset, more: Marker(0, TurnsTarget(seq, seq, offset, offset + more)),
    st.integers(1, 10**9), st.integers(0, 10**8), st.integers(1, 10**8),
)  # fmt: skip
words = st.text("abcxyz019", min_size=1, max_size=9) | st.sampled_from(["turn", "turns", "c1", "c12", "7"])
slugs = st.lists(words, max_size=6).map("-".join)


@given(st.builds(Marker, levels, nodes | turns) | resumed | parts, slugs)
def test_a_marker_is_read_back_as_it_was_written(marker: Marker, slug: str) -> None:
    written = format_marker(marker, slug=slug)
    assert parse_marker(written) == marker
    assert parse_marker(f"[… →{written}]") == marker


@pytest.mark.parametrize("slug", ["turns", "turn", "turns-3", "c2", "vitamin-c2"])
def test_words_that_read_as_turns_or_as_a_chapter_are_left_out(slug: str) -> None:
    assert format_marker(Marker(1, NodeTarget(0, 4)), slug=slug) == "L1:5"
    assert Node(height=0, idx=4, first_seq=1, last_seq=2, slug=slug, tokens=(9, 5, 3, 1)).marker_name == "5"
    assert format_marker(Marker(1, NodeTarget(0, 4)), slug=f"{slug}-x") == f"L1:{slug}-x-5"


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("L1:auth-options-17", Marker(1, NodeTarget(0, 16))),
        ("→L1:17", Marker(1, NodeTarget(0, 16))),
        ("[→ L2:auth-c2-3]", Marker(2, NodeTarget(2, 2))),
        ("L2:c1-1", Marker(2, NodeTarget(1, 0))),
        ("L1:запросы-5", Marker(1, NodeTarget(0, 4))),
        ("L0:turn-12", Marker(0, TurnsTarget(12, 12))),
        (" [… →L0:turns-120-480] ", Marker(0, TurnsTarget(120, 480))),
        ("[… →L0:turn-12+4000]", Marker(0, TurnsTarget(12, 12, 4_000))),
        ("L0:turn-12+0-4000", Marker(0, TurnsTarget(12, 12, 0, 4_000))),
        ("L0:turns-120-480+7", Marker(0, TurnsTarget(120, 480, 7))),
        ("L3:turns-1-4096", Marker(3, TurnsTarget(1, 4096))),
    ],
)
def test_words_and_brackets_do_not_matter(text: str, marker: Marker) -> None:
    assert parse_marker(text) == marker


@pytest.mark.parametrize(
    "text",
    [
        "",
        "17",
        "L4:x-1",
        "L1:",
        "L1:auth",
        "L1:x-0",
        "L1:c0-1",
        "L1:c9-1",
        "L0:turns-5-2",
        "L0:turn-0",
        "L1:turn-12+40",
        "L0:turn-12+",
        "L0:auth-options-17+40",
        "L1:a b-1",
        "L1:١٧",
        "L1:x-1\nL1:x-2",
        "L1:" + "9" * 400,
    ],
)
def test_anything_else_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(UnknownMarker, match="copy one from a context"):
        parse_marker(text)
