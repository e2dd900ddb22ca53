"""A correction without a subject is about the last value that anybody said, in the turns before it."""

from __future__ import annotations

import pytest

from support.settled_talk import merged
from support.wild_turns import said, talk
from turnfold.contract.records import AnchorState

OF_ANOTHER = [
    ["user: The van costs 800 euros to rent.", "assistant: Noted.", "user: how many crates do we need",
     "assistant: We need 30.", "user: actually we need 35"],
    ["user: My camera has 64 GB.", "assistant: Nice.", "user: How much is the frame?", "assistant: About 45 euros.",
     "user: No wait, it's 55."],
    ["user: I run 12 km on Sundays.", "assistant: Good.", "user: Set the heater to 21.", "assistant: Done, 21 degrees.",
     "user: Sorry, I meant 19."],
    ["user: My nephew is 7 and my niece is 5.", "assistant: Lovely.", "user: Sorry, I meant 6."],
    ["user: The desk costs 400 euros.", "assistant: Noted.", "user: Make it 90 for the chair."],
    ["user: The laptop has 32 GB.", "assistant: Noted.", "user: Which port is open?", "assistant: Port 8080 is.",
     "user: Let's make it 60."],
    ["user: I pay 25 euros for the pool. How many lanes are there?", "assistant: I don't know.",
     "user: No, I meant 28."],
    ["user: The dinner is on Friday.", "assistant: Noted. The dentist is on Monday.", "user: Sorry, I meant Tuesday."],
    ["user: The tour starts in Lyon.", "assistant: The hotel is in Turin.", "user: Sorry, I meant Paris."],
]  # fmt: skip


@pytest.mark.parametrize("lines", OF_ANOTHER, ids=lambda lines: lines[-1])
def test_a_value_said_since_then_is_what_is_corrected(lines: list[str]) -> None:
    found = merged(talk(*lines)).new
    assert found
    assert [one.state for one in found if one.turn_seq == 1 and one.state is AnchorState.SUPERSEDED] == []


@pytest.mark.parametrize(
    "lines",
    [
        ["user: The call is at 3.", "assistant: Noted.", "user: Sorry, 4."],
        ["user: The call is at 3.", "user: sorry, 4"],
        ["user: The rent is 900 euros.", "assistant: Noted, 900 euros. Shall I file it?", "user: Sorry, 950."],
        ["user: The rent is 900 euros.", "assistant: Noted, the list has 14 rows now.", "user: Sorry, 950 euros."],
        ["user: The launch is on 3 May.", "assistant: I put it at 10:00.", "user: Sorry, I meant 7 May."],
        ["user: The hall has 80 seats.", "user: Friday is fine.", "assistant: Good.", "user: Correction: 90 seats."],
        ["user: The exam is on Monday.", "assistant: Good luck, Monday it is.", "user: Sorry, I meant Tuesday."],
    ],
    ids=lambda lines: lines[-1],
)  # fmt: skip
def test_the_last_value_said_is_corrected(lines: list[str]) -> None:
    assert merged(talk(*lines)).new[0].state is AnchorState.SUPERSEDED


def test_what_was_said_in_another_segment_is_unknown() -> None:
    earlier = merged([said("The call is at 3.")]).new
    assert merged([said("Sorry, 4.", seq=3)], earlier).changed == ()
    assert merged([said("Sorry, the call is at 4.", seq=3)], earlier).changed
