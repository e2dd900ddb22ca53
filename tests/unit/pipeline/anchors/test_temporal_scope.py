"""A statement about the future, the past, a single occasion or certain days replaces nothing that holds now."""

from __future__ import annotations

import pytest

from support.settled_talk import merged, states
from support.wild_turns import talk
from turnfold.contract.records import AnchorState
from turnfold_worker.pipeline.anchors.statements.temporal_scope import only_then, sometimes_only


def first_state(first: str, second: str) -> AnchorState:
    return states(merged(talk(f"user: {first}", "assistant: Noted.", f"user: {second}")))[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always use tabs.", "Never use tabs on Mondays."),
        ("Never deploy without review.", "On Fridays you may deploy without review."),
        ("Latency must be < 150 ms.", "On weekends latency must be < 250 ms."),
        ("Don't call me before 10 am.", "You can call me before 10 am today."),
        ("Never use tabs in this repo.", "Just this once you may use tabs."),
        ("Never use tabs in this repo.", "Starting in 2030, you may use tabs."),
        ("Never use tabs in this repo.", "From 1 June you may use tabs again."),
        ("Always answer in German.", "Always answer in French from Monday on."),
        ("The upload limit is 30 MB.", "Last year the upload limit was 20 MB."),
        ("The upload limit is 30 MB.", "The upload limit was 20 MB."),
        ("Latency must be < 150 ms.", "In 2022 latency had to be < 250 ms."),
        ("The monthly rent is 950 euros.", "From June the monthly rent is 990 euros."),
    ],
)
def test_what_does_not_hold_always_and_now_overtakes_nothing(first: str, second: str) -> None:
    assert first_state(first, second) is AnchorState.ACTIVE


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always use tabs.", "Never use tabs."),
        ("Never deploy on Fridays.", "It's fine to deploy on Fridays now."),
        ("Never use tabs on Mondays.", "You may use tabs on Mondays now."),
        ("The upload limit is 30 MB.", "The upload limit is now 20 MB."),
        ("Last year the upload limit was 20 MB.", "Last year the upload limit was 25 MB."),
        ("The review of the budget is on Tuesday.", "The review of the budget is on Wednesday."),
        ("From June the monthly rent is 990 euros.", "From June the monthly rent is 1,010 euros."),
    ],
)
def test_what_holds_at_the_same_time_does(first: str, second: str) -> None:
    assert first_state(first, second) is AnchorState.SUPERSEDED


def test_then_later_and_sometimes_are_told_from_now() -> None:
    assert only_then("it was 20", "it is 30")
    assert not only_then("it was raised to 40", "it is 30")
    assert not only_then("starting today it is 40", "it is 30")
    assert not sometimes_only("as of today you may use tabs", "never use tabs")
