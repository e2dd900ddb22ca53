"""A gap is scored as a change of topic by signs of its turns, for any stored statistics."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import said
from turnfold_worker.pipeline.segments.gap_features import features
from turnfold_worker.pipeline.segments.gap_scorer import Form, form_of, needed, score
from turnfold_worker.pipeline.segments.gap_signs import signs_of
from turnfold_worker.pipeline.segments.segmenter import SegmenterStats


@given(st.floats(0, 1), st.floats(0, 1))
def test_evidence_weighs_what_its_talk_makes_of_it(share: float, wordy: float) -> None:
    form = Form(name="f", bias=1.0, weights={"cue": 2.0, "wordy": -1.0}, wordy={"cue": -2.0, "wordy": 0.0}, usual={})
    found = score({"cue": share, "wordy": wordy, "unknown": 9.0}, form)
    assert found == pytest.approx(1 - wordy + 2 * share * (1 - wordy))


@pytest.mark.parametrize(("lengths", "wordy"), [([4, 4], 0.4 / 6), ([200, 60], 1.0), ([0, 60], 0.5), ([90, 30], 1.0)])
def test_talk_is_wordy_as_its_turns_are_long(lengths: list[int], wordy: float) -> None:
    marks = [signs_of(said(" ".join(["word"] * length))) for length in lengths]
    assert features(marks[:1], marks[1:], roles=False)["wordy"] == pytest.approx(wordy)


@pytest.mark.parametrize(
    ("text", "farewell", "pointing", "introducing"),
    [
        ("No, that's everything. Thank you!", True, True, False),
        ("Enjoy your day!", True, False, False),
        ("What's their number?", False, True, False),
        ("I need a hotel in Kyoto.", False, False, True),
        ("That is all about the index", False, True, False),
        ("", False, False, False),
    ],
)
def test_what_ends_a_talk_points_back_or_names_something_new(
    text: str, farewell: bool, pointing: bool, introducing: bool
) -> None:
    signs = signs_of(said(text))
    assert (signs.farewell, signs.pointing > 0, signs.introducing > 0) == (farewell, pointing, introducing)


@given(st.integers(1, 400), st.integers(2, 200))
def test_a_group_s_gap_is_judged_alike_however_long_the_segment_is(length: int, target: int) -> None:
    assert needed(length, target, group=True) == needed(target, target, group=False)
    assert needed(length, target, group=False) >= needed(length + 1, target, group=False)


def test_scores_of_two_people_say_nothing_about_those_of_a_group() -> None:
    stats = SegmenterStats()
    for speaker in ("Ana", "Omar", "Mei"):
        stats = stats.met(said("hello", name=speaker))
    two = form_of(semantic=False, group=False)
    alone = stats.scores.seen(1.0, two)
    assert alone.seen(1.0, two).gaps == 2
    assert alone.seen(1.0, form_of(semantic=False, group=True)).gaps == 1
    assert len(stats.speakers) == 3


@pytest.mark.parametrize(
    "stored",
    [
        None,
        {},
        {"gaps": "x"},
        {"gaps": 10**9, "mean": -(10**30), "variance": -5},
        {"gaps": 5, "mean": 5, "variance": 5, "form": ["x"]},
        {"gaps": 5, "mean": 5, "variance": 5, "form": "of another version"},
        [],
        "text",
        {"roles": 7, "speakers": [1, "x" * 999]},
        {"roles": [[]], "speakers": {"a": 1}},
    ],
)
def test_stored_statistics_are_read_whatever_they_are(stored: Any) -> None:
    stats = SegmenterStats.from_json(stored)
    assert SegmenterStats.from_json(stats.to_json()) == stats
    assert len(json.dumps(stats.to_json())) < 1024
