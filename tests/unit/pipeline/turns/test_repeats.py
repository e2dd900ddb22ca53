"""A repeat points to its original and loses nothing that is new, and its reference resolves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import calling, said, wild_turns
from turnfold.assemble.forms.markers import Marker, TurnsTarget, parse_marker
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.turns.repeats import (
    NEARLY,
    SHORTEST,
    SHORTEST_SPOKEN,
    Repeat,
    find_repeats,
    posted_marks,
    reference,
    sought_marks,
)

LISTING = "\n".join(f"line {i}: value {i * 7}" for i in range(40))
CHANGED = LISTING.replace("line 9: value 63", "line 9: value 64")


def test_the_same_text_is_found_whatever_stands_between() -> None:
    turns = [said(LISTING, seq=1, role=Role.TOOL), said("ok", seq=2), said(LISTING, seq=3, role=Role.TOOL)]
    assert find_repeats(turns) == {3: Repeat(3, 1)}


def test_a_near_repeat_keeps_the_lines_that_are_new() -> None:
    found = find_repeats([said(LISTING, seq=1), said(CHANGED, seq=2)])
    assert found == {2: Repeat(2, 1, 0.95, ("line 9: value 64",))}
    assert not found[2].exact


def test_the_last_four_turns_before_a_segment_may_be_repeated_and_no_older_ones() -> None:
    before = [said(LISTING, seq=1), *(said(f"{i} {'x' * SHORTEST}", seq=i) for i in range(2, 6))]
    assert find_repeats([said(LISTING, seq=6)], before=before) == {}
    assert find_repeats([said(LISTING, seq=6)], before=before[:4]) == {6: Repeat(6, 1)}


def test_a_repeat_never_points_to_a_repeat() -> None:
    turns = [said(LISTING, seq=seq) for seq in (1, 2, 3)]
    assert {repeat.of for repeat in find_repeats(turns).values()} == {1}
    chain = [said(LISTING, seq=1), said(CHANGED, seq=2), said(CHANGED, seq=3)]
    assert {seq: repeat.of for seq, repeat in find_repeats(chain).items()} == {2: 1, 3: 1}


@pytest.mark.parametrize(
    "turns",
    [
        [said("Yes.", seq=1), said("Yes.", seq=2)],
        [said(LISTING, seq=1, role=Role.TOOL), said(LISTING, seq=2, role=Role.USER)],
        [said(LISTING, seq=1, name="Ana"), said(LISTING, seq=2, name="Omar")],
        [said(LISTING, seq=1), said(LISTING, seq=2, parts=calling("a"))],
        [said(LISTING, seq=1), said(LISTING + "\n" + LISTING.replace("line", "row"), seq=2)],
        [said("not " + "x" * 200, seq=1), said("x" * 200, seq=2)],
    ],
    ids=["short", "a person quotes a tool", "two speakers", "calls a tool", "twice as long", "one line differs"],
)
def test_these_are_no_repeats(turns: list[StoredTurn]) -> None:
    assert find_repeats(turns) == {}


def test_the_same_lines_in_another_order_are_not_the_same_text() -> None:
    backwards = "\n".join(reversed(LISTING.splitlines()))
    assert find_repeats([said(LISTING, seq=1), said(backwards, seq=2)]) == {2: Repeat(2, 1, 0.99)}


@pytest.mark.parametrize("repeat", [Repeat(14, 12), Repeat(14, 12, 0.93, ("new",))])
def test_a_reference_holds_a_marker_that_resolves(repeat: Repeat) -> None:
    text = reference(repeat)
    arrow = text.index("→")
    assert parse_marker(text[arrow:]) == Marker(0, TurnsTarget(12, 12))
    assert text.startswith("[same as turn 12" if repeat.exact else "[almost as turn 12, 93 %")


_repeating = st.builds(
    lambda turns, places: [
        said(turns[place % len(turns)].content * 3, seq=seq, role=turns[place % len(turns)].role)
        for seq, place in enumerate(places, start=1)
    ],
    wild_turns(most=4),
    st.lists(st.integers(0, 7), min_size=1, max_size=12),
)


@given(_repeating, st.integers(0, 4))
def test_every_repeat_is_of_an_earlier_turn_and_truly_alike(turns: list[StoredTurn], split: int) -> None:
    before, segment = turns[:split], turns[split:]
    by_seq = {turn.seq: turn for turn in turns}
    found = find_repeats(segment, before=before)
    for seq, repeat in found.items():
        assert repeat.seq == seq > repeat.of > (segment[0].seq - 5)
        assert repeat.of not in found
        assert repeat.exact == (by_seq[seq].content == by_seq[repeat.of].content)
        assert repeat.similarity >= NEARLY
        assert all(line in by_seq[seq].content for line in repeat.news)
    told = [(turn.role, turn.content) for turn in segment if len(turn.content) >= SHORTEST and turn.seq not in found]
    assert len(told) == len(set(told))


def test_a_huge_turn_is_compared_in_bounded_time() -> None:
    huge = "\n".join(f"row {i}" for i in range(50_000))
    found = find_repeats([said(huge, seq=1), said(huge, seq=2), said("x" * 1_000_000, seq=3), said(huge + "!", seq=4)])
    assert {seq: repeat.exact for seq, repeat in found.items()} == {2: True, 4: False}


def test_a_turn_of_any_age_that_is_given_may_be_repeated() -> None:
    earlier = [said(LISTING, seq=1)]
    assert find_repeats([said(LISTING, seq=900)], earlier=earlier) == {900: Repeat(900, 1)}
    assert find_repeats([said(CHANGED, seq=900)], earlier=earlier)[900].news == ("line 9: value 64",)
    assert find_repeats([said(LISTING, seq=900)], before=[said(CHANGED, seq=899)], earlier=earlier) == {
        900: Repeat(900, 1)
    }


@pytest.mark.parametrize(
    ("turn", "repeats"),
    [
        (said("The budget is 5,000 euros. " * 6, seq=900), False),
        (said("The budget is 5,000 euros. " * 20, seq=900), True),
        (said("ok   budget.py   passed\n" * 6, seq=900, role=Role.TOOL), True),
    ],
    ids=["some sentences of a person", "a page of a person", "an output"],
)
def test_what_a_person_says_again_long_after_is_a_repeat_only_where_it_is_long(turn: StoredTurn, repeats: bool) -> None:
    first = replace(turn, seq=3)
    assert len(turn.content) >= SHORTEST
    assert (900 in find_repeats([turn], earlier=[first])) is repeats
    assert 900 in find_repeats([turn], before=[replace(turn, seq=898)])
    assert bool(posted_marks(turn)) is repeats


@given(st.lists(wild_turns(most=1).map(lambda turns: turns[0]), min_size=2, max_size=2))
def test_equal_turns_share_a_mark_and_turns_of_two_speakers_none(turns: list[StoredTurn]) -> None:
    first = replace(turns[0], content=turns[0].content * 3, name="Ana", role=Role.USER, parts=None)
    other = replace(first, name="Omar")
    assert posted_marks(first) == posted_marks(replace(first, seq=first.seq + 50))
    assert bool(posted_marks(first)) is (len(first.content) >= SHORTEST_SPOKEN)
    assert not set(posted_marks(first)) & set(posted_marks(other))
    assert sorted(sought_marks([first, other])) == sorted({*posted_marks(first), *posted_marks(other)})
    assert all(-(2**63) <= mark < 2**63 for mark in posted_marks(first))


def test_near_repeats_share_a_mark() -> None:
    assert set(posted_marks(said(LISTING, seq=1))) & set(posted_marks(said(CHANGED, seq=2)))
