"""A need ends only by a denial of the same thing for the same person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_worker.pipeline.anchors.statements.needs import ends_need, need_of

people = st.sampled_from(["Ola", "Tim", "Yusuf", "Elif"])
things = st.sampled_from(["monitor", "parking pass", "projector", "locker key"])


@given(people, people, things, things)
@examples(200)
def test_only_a_denial_for_the_same_one_ends_a_need(whom: str, who: str, thing: str, other: str) -> None:
    need = f"We need a {thing} for {whom}."
    assert ends_need(f"{who} doesn't need a {other} after all.", need) is (who == whom and other == thing)
    assert ends_need(f"{who} needs a {other}.", need) is False


@given(st.text(max_size=200), st.text(max_size=200))
@examples(200)
def test_any_text_is_read_and_ends_nothing_that_is_equal_to_it(new: str, old: str) -> None:
    assert ends_need(new, new) is False
    assert ends_need(new, old) in {True, False}


@pytest.mark.parametrize(
    "text",
    [
        "Does Ola need a monitor?",
        "If he works from home, Ola doesn't need a monitor.",
        'He wrote "Ola doesn\'t need a monitor".',
        "Tim says Ola doesn't need a monitor.",
        "We don't need to order a monitor for Ola.",
    ],
)
def test_what_is_asked_supposed_or_said_by_others_is_no_need(text: str) -> None:
    assert need_of(text) is None
