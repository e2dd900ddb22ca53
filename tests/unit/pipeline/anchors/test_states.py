"""A later state of a thing replaces the earlier one on the same scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_worker.pipeline.anchors.rules.home_rules import is_no_place
from turnfold_worker.pipeline.anchors.rules.state_rules import states_of
from turnfold_worker.pipeline.anchors.statements.attributes import changes_value
from turnfold_worker.pipeline.anchors.statements.frames import other_value

things = st.sampled_from(["The audit", "The audit of the branch", "My order", "The second chapter"])


@given(things, things)
@examples(50)
def test_only_a_state_of_the_same_thing_gives_way(thing: str, other: str) -> None:
    assert other_value(f"{other} is complete.", f"{thing} is pending.") is (thing == other)


@given(st.text(max_size=120))
@examples(200)
def test_any_clause_is_read(clause: str) -> None:
    assert all(subject and state and scale for subject, state, scale in states_of(clause))


@pytest.mark.parametrize(
    ("old", "new", "gives_way"),
    [
        ("The permit is pending.", "The permit was approved.", True),
        ("The roof is not started yet.", "The roof is done.", True),
        ("The shop is down.", "The shop is back up.", True),
        ("The invoice is approved.", "The invoice is done.", False),
        ("The permit is pending.", "The permit will be approved on Friday.", False),
        ("The permit is pending.", "Was the permit approved?", False),
    ],
)
def test_a_state_gives_way_on_its_own_scale(old: str, new: str, gives_way: bool) -> None:
    assert other_value(new, old) is gives_way


@pytest.mark.parametrize(
    ("new", "moves"),
    [
        ("We moved to Bristol last month.", True),
        ("We've moved to New Haven.", True),
        ("We moved to Kafka last month.", False),
        ("We moved to RabbitMQ.", False),
        ("We moved to weekly releases.", False),
        ("We moved to Notes for planning.", False),
        ("We may have moved to Bristol.", False),
    ],
)
def test_a_home_is_closed_by_a_place_and_by_no_tool(new: str, moves: bool) -> None:
    assert changes_value(new, "I live in Leeds.") is moves


@given(st.text(max_size=80), st.text(max_size=80))
@examples(100)
def test_a_name_that_a_text_does_not_write_is_no_place(name: str, text: str) -> None:
    assert is_no_place(name, text) or name in text.lower()


@pytest.mark.parametrize(
    ("earlier", "later", "gives_way"),
    [
        ("The harvest starts in August.", "Because of the heat the harvest starts in July.", True),
        ("I prefer window seats.", "Since my knee surgery I prefer aisle seats.", True),
        ("Our minimum version is Python 3.9.", "As of this sprint our minimum version is Python 3.11.", True),
        ("We have three kids in the swim class.", "With Amir joining, we have four kids in the swim class.", True),
        ("My shift starts at 7.", "From today my shift starts at 6.", True),
        ("My shift starts at 7.", "From next week my shift starts at 6.", False),
        ("The harvest starts in August.", "Because of the kiln the workshop starts in July.", False),
        ("I prefer window seats.", "Since my sister's surgery she prefers aisle seats.", False),
        ("The port is 80.", "Because of the proxy the port might be 81.", False),
    ],
)  # fmt: skip
def test_a_cause_or_a_beginning_before_a_value_tells_nothing_of_what_it_is_of(
    earlier: str, later: str, *, gives_way: bool
) -> None:
    assert other_value(later, earlier) is gives_way
