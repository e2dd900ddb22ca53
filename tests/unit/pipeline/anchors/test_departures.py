"""What somebody gave up having or left ends what was said of it, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.departures import departs, departure_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We own a camper van.", "We sold the camper van."),
        ("I have a subscription to the paper.", "I ended my subscription to the paper."),
        ("Gustav works on the billing team.", "Gustav has left the billing team."),
        ("I play the cello in the town orchestra.", "I quit the town orchestra last week."),
        ("I'm on antibiotics.", "I'm off antibiotics, finally."),
    ],
)
def test_what_was_given_up_holds_no_longer(old: str, new: str) -> None:
    assert departs(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We own a camper van.", "The neighbours sold their camper van."),
        ("We own a camper van.", "We almost sold the camper van."),
        ("We own a camper van.", "Have we sold the camper van?"),
        ("We own a camper van.", "If we sold the camper van, we could pay for the roof."),
        ("We want a camper van.", "We sold the camper van."),
        ("Gustav works on the billing team.", "Gustav has left the office."),
        ("Gustav works on the billing team.", "Olga has left the billing team."),
        ("I play the cello in the town orchestra.", "I left the keys in the car."),
        ("I'm on antibiotics.", "I'm off work."),
    ],
)
def test_nothing_else_is_ended(old: str, new: str) -> None:
    assert not departs(new, old)


_WORDS = ["we", "I", "Ana", "sold", "left", "quit", "is", "off", "the", "my", "van", "team", "own", "in", "not", "?"]
words = st.lists(st.sampled_from(_WORDS), max_size=9)


@given(words, words)
def test_any_words_are_read_and_what_gives_up_nothing_ends_nothing(new: list[str], old: list[str]) -> None:
    later, earlier = " ".join(new), " ".join(old)

    is_over = departs(later, earlier)

    assert not is_over or departure_of(later) is not None
    assert not departs(f"{later}?", earlier)
