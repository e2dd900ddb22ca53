"""An address whose number is corrected stays in force, with the new number in place of the old one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.records import AnchorState
from turnfold_worker.offline import FoldedConversation, fold
from turnfold_worker.pipeline.anchors.statements.numbers import corrected_value, holds_an_address, renumbers

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
FILLER: Final = (
    "The caterer sent three menus and the second one looked fine to everybody.",
    "Somebody left the projector running over the weekend again.",
    "I walked past the old mill and the door was open.",
)
CORRECTED: Final = (
    ("Send it to 12 Elm Street, ring 555-0101.", "The number is 555-0199 now."),
    ("Send the parcel to 12 Elm Street and ring 555-0101 on arrival.", "The phone number is 555-0199, not 555-0101."),
    ("My address is 12 Elm Street, Boise, phone 555-0101.", "My phone number is 555-0199 now."),
    ("The office is at 12 Elm Street, the phone number is 555-0101.", "The phone number is 555-0199 now."),
    ("The office is at 12 Elm Street, phone 555-0101.", "Correction: the phone is 555-0199."),
    ("Our landlord is at 12 Elm Street, call 555-0101.", "The number changed to 555-0199, not 555-0101."),
)  # fmt: skip
NEAR_MISSES: Final = (
    ("Send it to 12 Elm Street, ring 555-0101.", "Her number is 555-0199 now."),
    ("Send it to 12 Elm Street, ring 555-0101.", "The number of guests is 40 now."),
    ("Send it to 12 Elm Street, ring 555-0101.", "The number is 555-0199, not 555-0177."),
    ("Send it to 12 Elm Street, ring 555-0101.", "Is the number 555-0199 now?"),
    ("Send it to 12 Elm Street, ring 555-0101.", "The fax number is 555-0199."),
    ("Send it to 12 Elm Street, ring 555-0101 or 555-0102.", "The number is 555-0199 now."),
    ("Ana's place is 12 Elm Street, ring 555-0101.", "My number is 555-0199 now."),
)


def folded(*said: str) -> FoldedConversation:
    return fold(
        {"role": "user", "name": "Ana", "content": text, "created_at": (_FIRST + timedelta(days=day)).isoformat()}
        for day, text in enumerate((*said, *FILLER * 10))
    )


@pytest.mark.parametrize(("old", "new"), CORRECTED)
def test_an_address_stands_with_the_number_that_took_the_place_of_the_old_one(old: str, new: str) -> None:
    with folded(old, FILLER[0], new) as conversation:
        first = next(anchor for anchor in conversation.anchors(states=None) if anchor.turn_seq == 1)
        texts = [conversation.context(budget_tokens=500).text]
        texts.append(conversation.context(budget_tokens=500, query="What is the address in Elm Street?").text)
        notes = [note.text for note in conversation.notes() if note.turn_seq == 1]
    assert first.state is AnchorState.ACTIVE
    assert all("12 Elm Street" in text for text in texts)
    stale = [line for text in texts for line in text.splitlines() if "555-0101" in line and "555-0199" not in line]
    assert stale == []
    assert any("555-0199 (before: 555-0101)" in text and "12 Elm Street" in text for text in notes)


@pytest.mark.parametrize(("old", "new"), NEAR_MISSES)
def test_another_number_or_another_persons_changes_no_address(old: str, new: str) -> None:
    assert not renumbers(new, old)
    with folded(old, FILLER[0], new) as conversation:
        notes = [note.text for note in conversation.notes() if note.turn_seq == 1]
    assert any("555-0101" in text and "before:" not in text for text in notes)


def test_of_two_numbers_that_were_given_none_is_taken_for_the_one_that_changed() -> None:
    first, second = "Send it to 12 Elm Street, ring 555-0101.", "The plumber is at 7 Oak Road, ring 555-0300."
    with folded(first, second, "The number is 555-0199 now.") as conversation:
        notes = [note.text for note in conversation.notes() if note.turn_seq in {1, 2}]
    assert any("555-0101" in text for text in notes)
    assert not any("before:" in text for text in notes)


def test_a_port_beside_a_mail_address_is_corrected_in_place() -> None:
    with folded("Mails go to ops@mail.example, port 2525.", FILLER[0], "The port is 587, not 2525.") as conversation:
        text = conversation.context(budget_tokens=500).text
    assert "Mails go to ops@mail.example, port 587 (before: 2525)" in text
    assert text.count("(before: 2525)") == 1


@given(st.integers(1000, 9999), st.integers(1000, 9999), st.integers(1, 999))
@examples(40)
def test_only_the_number_that_differs_is_replaced(old: int, new: int, house: int) -> None:
    before, now = f"Send it to {house} Elm Street, ring 555-{old}.", f"The number is 555-{new} now."
    assert holds_an_address(before)
    assert not holds_an_address(now)
    assert renumbers(now, before) is (old != new)
    assert corrected_value(before, now) == ((f"555-{old}", f"555-{new}") if old != new else None)
