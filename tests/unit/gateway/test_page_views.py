"""The web page shows texts and numbers of any kind and size correctly and safely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_gateway.ui.rendering import address_of, environment
from turnfold_gateway.ui.views.bars import WIDTH, nested, stacked
from turnfold_gateway.ui.views.segments import Pages, page_of
from turnfold_gateway.ui.views.words import Mark, clipped, runs_with_anchors, runs_with_markers, visible

MARKERS = ("L1:auth-1", "L1:auth-12", "L0:3-7", "L2:c1-1")


@examples(200)
@given(st.text(alphabet=st.sampled_from("a\n\t\x00\x07\x1b\x85\u202e\u2066\u200f\ufeff\U000e0041<é")))
def test_no_character_that_turns_or_hides_others_is_left(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & set("\x00\x07\x1b\x85\u202e\u2066\u200f\ufeff\U000e0041")
    assert visible(shown) == shown
    assert visible("Ünï: a\n\tb") == "Ünï: a\n\tb"


@examples(200)
@given(st.lists(st.sampled_from([*MARKERS, " ", "→", "L1:auth-123", "x", "<b>", "-"])).map("".join))
def test_markers_are_found_whole_and_nothing_is_lost(text: str) -> None:
    runs = runs_with_markers(text, MARKERS)
    assert "".join(run.text for run in runs) == text
    assert {run.marker for run in runs} <= {None, *MARKERS}
    assert [run.marker for run in runs_with_markers("[→L1:auth-12] L1:auth-123", MARKERS)] == [None, "L1:auth-12", None]


@examples(200)
@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6))
def test_anchors_cut_a_turn_without_losing_a_letter(text: str, spans: list[tuple[int, int]]) -> None:
    runs = runs_with_anchors(text, [Mark(start, end, "decision", "active") for start, end in spans])
    assert "".join(run.text for run in runs) == text


@examples(200)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**9)), max_size=40), st.integers(0, 10**9))
def test_bars_stay_inside_the_drawing(amounts: list[tuple[str, int]], whole: int) -> None:
    bars = stacked(amounts, whole)
    assert all(bar.x >= 0 and bar.width >= 0 and bar.x + bar.width <= WIDTH + 1 for bar in bars)
    assert [bar.amount for bar in bars] == [amount for _, amount in amounts if amount]


@examples(100)
@given(st.tuples(*[st.integers(0, 10**7)] * 4), st.integers(0, 10**7))
def test_levels_of_a_segment_are_as_long_as_they_are_large(tokens: tuple[int, ...], largest: int) -> None:
    bars = nested(tokens, largest)
    assert len(bars) == 4
    widths = [bar.width for bar in bars]
    assert sorted(widths) == [width for _, width in sorted(zip(tokens, widths, strict=True))]
    assert max(widths) <= WIDTH


@examples(200)
@given(st.none() | st.text() | st.integers(-5, 10**12).map(str), st.integers(0, 10**6), st.integers(1, 100))
def test_a_page_is_always_one_that_there_is(wanted: str | None, total: int, size: int) -> None:
    pages = page_of(wanted, total, size)
    assert 1 <= pages.number <= pages.count
    assert (pages.count - 1) * size < max(total, 1)
    assert page_of("2", 100, 10) == Pages(2, 10)
    assert page_of(None, 100, 10) == Pages(10, 10)


def test_a_clip_says_how_much_it_hides() -> None:
    assert clipped("abcdef", 4) == ("abcd", 2)


@pytest.mark.parametrize("name", ["team/chat 1", "<script>", 'a"b', "../..", "?x=1#y"])
def test_an_address_holds_whatever_a_conversation_is_called(name: str) -> None:
    address = address_of(name, "expand", marker="L1:a&b-1")
    assert address.startswith("/ui/c/")
    assert address.count("/") == 4
    assert not set('<>" ') & set(address)
    assert address.endswith("?marker=L1%3Aa%26b-1")


def test_templates_escape_and_know_all_that_they_name() -> None:
    made = environment()
    assert len(made.list_templates()) > 15
    assert all(made.get_template(name) for name in made.list_templates())
    assert made.from_string("{{ words }}").render(words="<script>'\"") == "&lt;script&gt;&#39;&#34;"
