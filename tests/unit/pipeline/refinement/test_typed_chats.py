"""Notes on a hastily typed chat with an assistant: each true sentence is paired with a lie about the same turns."""

from __future__ import annotations

import pytest

from note_evidence import evidence

DAY = "2026-03-25"
TALK = (
    (DAY, "user", "we go live on tuesday 7 april, the day after easter monday"),
    (DAY, "assistant", "Tuesday it is. Tell the surgery if it is repeatedly above 135/85, or if you're dizzy."),
    (DAY, "user", "The bank gave us 120k for the works. I've got a call with the lawyer on the 30th, not thursdays"),
    (DAY, "assistant", "I'd ask for five quotes, and for two of the seven windows only."),
)  # fmt: skip
PAIRS = (
    ([1, 2], "The user goes live on Tuesday 7 April 2026, the day after Easter Monday.",
     "The user goes live on Tuesday 14 April 2026, the day after Easter Monday."),
    ([1, 2], "The user goes live the day after Easter Monday.", "The user goes live the day before Easter Monday."),
    ([1, 2], "The assistant: tell the surgery if repeatedly above 135/85.",
     "The assistant: tell the surgery if repeatedly above 145/85."),
    ([3, 4], "The bank gave the user 120k for the works.", "The bank gave the user 210k for the works."),
    ([3], "The user has a call with the lawyer on 30 March 2026.",
     "The user has a call with the lawyer on 30 April 2026."),
    ([3], "The call is not on Thursdays.", "The call is not on Fridays."),
    ([3, 4], "The assistant would ask for five quotes.", "The user would ask for two of the seven windows only."),
)  # fmt: skip


@pytest.mark.parametrize(("turns", "true", "lie"), PAIRS)
def test_what_was_typed_is_borne_out_and_nothing_else(turns: list[int], true: str, lie: str) -> None:
    said = evidence(TALK)
    assert said.problems(true, turns, "user") == []
    assert said.problems(lie, turns, "user") != []
