"""A wish about style replaces its opposite about the same thing, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.deduplicate import anchor_terms, sought_terms
from turnfold_worker.pipeline.anchors.statements.style_wishes import manner_of, turns_round


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Long answers are fine now.", "Keep it short."),
        ("You can go into detail again.", "Please keep your answers short."),
        ("From now on give me detailed answers.", "Always answer briefly."),
        ("Don't be so brief any more.", "Be brief in your replies."),
        ("It doesn't have to be short any more.", "Keep it short."),
        ("No long answers please.", "Write detailed answers."),
        ("Casual is fine from now on.", "Use a formal tone."),
        ("Make the release notes longer.", "Keep the release notes short."),
    ],
)
def test_the_opposite_turns_a_wish_round(new: str, old: str) -> None:
    assert turns_round(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Long answers are fine now.", "Keep the release notes short."),
        ("Make it shorter.", "Keep it short."),
        ("Are long answers fine now?", "Keep it short."),
        ("It took a long time to answer.", "Keep it short."),
        ("I no longer want tabs.", "Keep it short."),
        ("The meeting was long.", "Keep it short."),
        ("Use a casual tone.", "Keep it short."),
        ("Don't make it too long.", "Keep it short."),
    ],
)
def test_another_wish_or_none_turns_nothing_round(new: str, old: str) -> None:
    assert not turns_round(new, old)


def test_opposites_are_sought_and_bounded() -> None:
    assert "short" in sought_terms("Long answers are fine now.")
    assert sought_terms("The gateway listens on port 80.") == anchor_terms("The gateway listens on port 80.")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_compared_and_few_terms_sought(one: str, other: str) -> None:
    assert turns_round(one, other) in {True, False}
    assert len(sought_terms(one)) <= 40
    if manner_of(one) is not None:
        assert not turns_round(one, one)
