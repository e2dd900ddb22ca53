"""A move to another time or place closes the previous one, and nothing else."""

from __future__ import annotations

import pytest

from turnfold.contract.records import AnchorState
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.anchors.statements.moves import moved_thing


def states(*texts: str) -> dict[str, AnchorState]:
    with fold({"role": "user", "content": text} for text in texts) as conversation:
        return {anchor.text: anchor.state for anchor in conversation.anchors(states=None)}


@pytest.mark.parametrize(
    ("before", "moved"),
    [
        ("The report is due by 3 May.", "The deadline for the report has been pushed to 17 May."),
        ("My piano lesson is at 4 pm on Monday.", "They rescheduled my piano lesson to 6 pm on Monday."),
        ("The operation is set for 3 June.", "They've put the operation back to 17 June."),
        ("The party is at our house.", "We've moved the party to the town hall."),
        ("The ferry is on 3 July.", "The ferry got postponed from 3 July to 5 July."),
        ("The ferry is on 3 July.", "Update: the ferry is now moved to 5 July."),
    ],
)
def test_the_old_time_or_place_is_closed(before: str, moved: str) -> None:
    found = states(before, "Fine.", moved)
    assert found[before] is AnchorState.SUPERSEDED
    assert found[moved] is AnchorState.ACTIVE


@pytest.mark.parametrize(
    ("before", "later"),
    [
        ("The report is due by 3 May.", "The review of the report has been moved to 17 May."),
        ("Dinner with Ana is on Friday.", "Lunch with Ana got moved to Sunday."),
        ("Our demo is on 3 June.", "If the demo is moved to 10 June, we lose the slot."),
        ("Our demo is on 3 June.", "The demo has not been moved to 10 June."),
        ("The ferry is on 3 July.", "The train got postponed to 5 July."),
        ("Anna is in charge of the budget of 4,000 euros.", "Anna has moved to Berlin."),
        ("The report is in French.", "The deadline for the report has been pushed to 17 May."),
    ],
)
def test_another_thing_and_what_is_only_supposed_close_nothing(before: str, later: str) -> None:
    assert states(before, "Fine.", later)[before] is AnchorState.ACTIVE


def test_one_of_two_things_of_a_turn_is_closed_alone() -> None:
    found = states(
        "The concert takes place in hall 204. The concert is on Tuesday.", "Fine.", "Actually the concert is on Friday."
    )
    assert found["The concert takes place in hall 204."] is AnchorState.ACTIVE
    assert found["The concert is on Tuesday."] is AnchorState.SUPERSEDED


def test_an_address_outlives_a_correction_of_the_number_beside_it() -> None:
    found = states("Reach Ines at ines@corp.example, port 2525.", "Fine.", "The port is 587, not 2525.")
    assert found["Reach Ines at ines@corp.example, port 2525."] is AnchorState.ACTIVE


@pytest.mark.parametrize("text", ["", "It moved to Friday.", "We moved to Boise.", "I was pushed."])
def test_a_text_that_moves_nothing_by_name_has_no_thing(text: str) -> None:
    assert moved_thing(text) == frozenset()


@pytest.mark.parametrize(
    "moved", ["They nearly moved the ferry to 5 July.", "They were about to put the ferry off to 5 July."]
)
def test_what_was_nearly_moved_stays(moved: str) -> None:
    assert states("The ferry is on 3 July.", "Fine.", moved)["The ferry is on 3 July."] is AnchorState.ACTIVE
