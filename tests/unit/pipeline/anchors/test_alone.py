"""A clause that only points to words elsewhere, and names nothing itself, is no anchor."""

from __future__ import annotations

import pytest

from support.settled_talk import SETTINGS
from support.wild_turns import talk
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.turns.reading import read_turn


def kept(*lines: str) -> dict[str, int]:
    """Return the anchors of a talk, each with its score."""
    return {one.text: one.score for one in extract_anchors([read_turn(turn) for turn in talk(*lines)], SETTINGS)}


@pytest.mark.parametrize(
    "text",
    [
        "That one is not negotiable.",
        "I'll pass it on.",
        "Put that on the list of open things.",
        "I chose them because they help people with a move.",
        "Yeah, I think I'll go with that.",
        "I'll stick with it.",
        "I picked this color because it's bright.",
        "I chose to write about this since it's really personal.",
        "Agreed, keep it open.",
        "Leave it as is for now and I'll come back to it.",
        "I'll keep that in mind.",
        "No, never been to something like that.",
        "I fully agree.",
        "I'm a huge fan of it, that's why I go!",
        "Any help would be greatly appreciated.",
    ],
)
def test_what_means_nothing_alone_is_no_anchor(text: str) -> None:
    assert kept(f"Ana: {text}", "Omar: I see.") == {}


@pytest.mark.parametrize(
    "text",
    [
        "The import must never run twice.",
        "I hate mushrooms.",
        "We'll go with the blue logo.",
        "I'll call the plumber and tell him about it.",
        "I'd rather we never deploy on weekends at all, but emergencies happen.",
        "We picked oak because it lasts.",
        "It must run offline.",
        "I'll bring the cake, so please send the list.",
    ],
)
def test_what_names_its_thing_is_kept_whatever_it_points_to(text: str) -> None:
    assert kept(f"Ana: {text}", "Omar: I see.")


def test_a_request_for_words_is_kept_and_stands_nowhere() -> None:
    asked = "Please provide an example of how to send mail with Flask 2.3."
    assert 50 <= kept(f"user: {asked}")[asked] < 70


def test_who_only_admits_a_mistake_has_not_corrected_it() -> None:
    admitted, stated = "I was wrong about the launch.", "I was wrong, the launch is on 9 May."
    scores = [max(kept(f"user: {text}").values(), default=0) for text in (admitted, stated)]
    assert scores[0] < 60 <= scores[1]
