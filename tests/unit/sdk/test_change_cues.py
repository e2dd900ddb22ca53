"""Turns that may change earlier statements are recognized by cues, in any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.wire.change_cues import may_change


@pytest.mark.parametrize(
    "text",
    [
        "Actually, make it Tuesday.",
        "Scratch that, we fly to Oslo.",
        "We no longer need the visa.",
        "I don\u2019t eat meat any more.",
        "The deadline has been moved to 3 June.",
        "Please use tabs from now on, not spaces.",
        "The rent is now 910 euros.",
        "We've switched to RabbitMQ.",
        "I don't want the window seat.",
        "Cancel the order, please.",
        "Sorry, I meant the other one.",
    ],
)
def test_a_turn_with_a_cue_may_change_something(text: str) -> None:
    assert may_change("user", text)
    assert may_change("system", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nice, thank you!",
        "How do I sort a list by two keys?",
        "We walked along the river and saw two herons.",
        "My sister lives in Bergen with her two cats.",
        "It has forty pages and a map.",
    ],
)
def test_plain_talk_changes_nothing(text: str) -> None:
    assert not may_change("user", text)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_only_people_and_the_system_change_something(role: str) -> None:
    assert not may_change(role, "Actually, make it Tuesday.")


@given(st.text(max_size=300), st.sampled_from(["user", "assistant", "tool", "system", "developer"]))
def test_any_text_may_be_asked(text: str, role: str) -> None:
    assert may_change(role, text) in (True, False)
