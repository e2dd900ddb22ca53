"""Pieces contain every posting once, where reads look for it, however the conversation grew to its length."""

from __future__ import annotations

import struct
from collections import Counter
from itertools import accumulate, chain

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.passages import pack_pointers
from turnfold.contract.posting_pieces import (
    Piece,
    Posted,
    WantedPieces,
    in_pieces,
    merged_with,
    pack_piece,
    piece_of,
    pieces_beyond,
    pieces_of,
    pieces_over,
)

CODES = st.integers(0, 2**32 - 1)
WORDS = st.sampled_from(["pool", "v1.2", "!standing", "küche", "設定", "x"]) | st.text(min_size=1, max_size=64).filter(
    lambda term: "\0" not in term
)
POINTERS = st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**13 - 1)), min_size=0, max_size=5)


@given(CODES, st.integers(0, 40_000).flatmap(lambda most: st.tuples(st.integers(0, most), st.just(most + 1))))
def test_a_term_of_a_segment_is_in_one_of_the_pieces_in_which_it_is_looked_for(code: int, at: tuple[int, int]) -> None:
    idx, segments = at
    number = piece_of(code, idx, segments)
    looked_for = list(pieces_of(code, segments))
    assert looked_for.count(number) == 1
    assert len(looked_for) == len(set(looked_for))
    assert any(first <= number <= last for first, last in pieces_over(idx))


@given(CODES, st.integers(1, 4_500))
@examples(40)
def test_no_segment_is_looked_for_twice_and_no_piece_in_vain(code: int, segments: int) -> None:
    assert {piece_of(code, idx, segments) for idx in range(segments)} == set(pieces_of(code, segments))


def test_however_long_a_conversation_is_a_term_is_looked_for_in_few_pieces() -> None:
    most = [
        max(len(list(pieces_of(code, segments))) for code in range(0, 5_000, 7))
        for segments in (8, 64, 500, 4_000, 32_000)
    ]
    assert most == sorted(most)
    assert most[-1] <= 40


@given(CODES, st.integers(1, 5_000))
def test_a_fold_moves_what_it_merges_and_nothing_else(code: int, segments: int) -> None:
    merged = set(merged_with(segments))
    assert len(merged) <= 4 * 8 * 5
    for idx in range(max(0, segments - 700), segments - 1):
        before, after = piece_of(code, idx, segments - 1), piece_of(code, idx, segments)
        assert before == after or before in merged


@given(CODES, st.integers(0, 5_000), st.integers(0, 600))
def test_cutting_a_conversation_moves_nothing_that_is_not_beyond(code: int, kept: int, more: int) -> None:
    beyond = pieces_beyond(kept)
    assert beyond
    for idx in range(max(0, kept - 700), kept):
        before, after = piece_of(code, idx, kept + more), piece_of(code, idx, kept)
        assert before == after or any(first <= before <= last for first, last in beyond)
    for idx in range(kept, kept + more):
        assert any(first <= piece_of(code, idx, kept + more) <= last for first, last in beyond)


@st.composite
def postings(draw: st.DrawFn) -> list[Posted]:
    keys = draw(st.lists(st.tuples(WORDS, st.integers(0, 63)), unique=True, min_size=1, max_size=30))
    return [(term, idx, draw(st.integers(1, 32_767)), pack_pointers(draw(POINTERS))) for term, idx in keys]


@given(postings())
def test_pieces_give_back_what_was_packed(held: list[Posted]) -> None:
    number = 2 << 27 | 17
    assert sorted(Piece(number, pack_piece(number, held)).all()) == sorted(held)
    assert pack_piece(number, held) == pack_piece(number, list(reversed(held)))


@given(postings(), st.integers(64, 700), st.integers(1, 4))
def test_the_heaviest_postings_of_a_term_are_found_whatever_pieces_they_are_in(
    held: list[Posted], segments: int, most: int
) -> None:
    pieces = {number: Piece(number, pack_piece(number, some)) for number, some in in_pieces(held, segments).items()}
    wanted = ["pool", "v1.2", "nowhere"]
    found = WantedPieces(wanted, segments).heaviest(pieces, most)
    expected = [
        sorted((one for one in held if one[0] == term), key=lambda one: (one[2], one[1]), reverse=True)[:most]
        for term in wanted
    ]
    assert found == list(chain.from_iterable(expected))


@given(postings(), st.integers(64, 700), st.integers(1, 6))
def test_postings_behind_enough_pointers_are_without_theirs(held: list[Posted], segments: int, enough: int) -> None:
    pieces = {number: Piece(number, pack_piece(number, some)) for number, some in in_pieces(held, segments).items()}
    wanted = WantedPieces(["pool"], segments)
    whole, found = wanted.heaviest(pieces, 64), wanted.heaviest(pieces, 64, enough_pointers=enough)
    assert [row[:3] for row in found] == [row[:3] for row in whole]
    before = list(accumulate((len(row[3]) // 6 for row in whole), initial=0))
    expected = [row[3] if many < enough else b"" for row, many in zip(whole, before, strict=False)]
    assert [row[3] for row in found] == expected


def test_pieces_are_about_as_large_as_what_one_segment_says() -> None:
    """A piece of any height contains about as much as one segment, so that none is read in vain."""
    held = [(f"word{50 * idx + i}", idx, 5, struct.pack("<IH", idx << 8, 7)) for idx in range(64) for i in range(50)]
    sizes = Counter({number: len(some) for number, some in in_pieces(held, 200).items()})
    assert len(sizes) == 4 * 64
    assert max(sizes.values()) <= 50
