"""The salience of a clause ranks events and facts above moods, captions and pleasantries."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.notes.captions import is_caption
from turnfold_worker.pipeline.notes.salience import WEIGHT_SCALE, WEIGHTS_FILE, features_of, salience


def _salience(clause: str) -> float:
    return salience(clause, place=0, replies=False)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("They loved it", "Our daughters loved the museum in Faenza"),
        ("It was so rewarding", "It was a clay bowl for Omar"),
        ("Feeling happy and grateful today", "Planted walnut trees with Omar"),
        ("The harbour crane fails", "The harbour crane fails 40 times a day"),
        ("Staying positive is key", "The harbour crane lifts granite"),
        ("That harbour market sounds great", "Went to the harbour market and it was great"),
        ("Love the glaze on that", "I love pottery from Faenza"),
        ("Family means a lot to me", "My sister signed the lease in March"),
        ("What a day!", "Quit the job at the bank yesterday"),
        ("Thanks, that helps", "My budget is 3,000"),
    ],
)
def test_what_happened_is_worth_more_than_how_it_felt(less: str, more: str) -> None:
    assert _salience(less) + 0.05 < _salience(more)


def test_an_answer_is_worth_more_than_the_same_words_unasked() -> None:
    asked = salience("Two cats and a parrot", place=0, replies=True)
    assert asked > salience("Two cats and a parrot", place=0, replies=False)


def test_apostrophes_of_any_kind_count_the_same() -> None:
    assert _salience("We\u2019ve moved to Bern") == _salience("We've moved to Bern")


@given(st.text(max_size=120), st.integers(0, 2_000), st.booleans())
def test_any_text_has_a_finite_salience(clause: str, place: int, replies: bool) -> None:  # drawn
    found = salience(clause, place=place, replies=replies)
    assert math.isfinite(found)
    assert abs(found) < 3


WEIGHTS = json.loads((files("turnfold_worker.pipeline.notes") / WEIGHTS_FILE).read_text(encoding="utf-8"))
WORDS = st.sampled_from(["We", "met", "Ana", "on", "7", "May", "so", "happy", "happily", "met", "the", "it's", "ran!"])


@given(st.lists(WORDS, min_size=1, max_size=20).map(" ".join), st.integers(0, 9), st.booleans())
def test_salience_is_what_training_makes_of_the_features(clause: str, place: int, replies: bool) -> None:  # drawn
    features = features_of(clause, place=place, replies=replies)
    told = math.fsum(value * WEIGHTS.get(name, 0) for name, value in features) / WEIGHT_SCALE
    assert is_caption(clause) or salience(clause, place=place, replies=replies) == told
