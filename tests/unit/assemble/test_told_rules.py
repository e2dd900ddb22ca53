"""Notes for a query omit a rule that the standing facts already state; other notes stay."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.by_value.query_notes import without_rules
from turnfold.contract.notes import Note
from turnfold.contract.records import Anchor, AnchorType

RULE: Final = "Always name the room when I ask about lamps."


def anchor(text: str = RULE, *, kind: AnchorType = AnchorType.INSTRUCTION, speaker: str = "user") -> Anchor:
    return Anchor(
        id=1, type=kind, text=text, turn_seq=1, start=0, end=len(text), score=88, rank=123, tokens=9, speaker=speaker
    )


def note(text: str, *, seq: int = 9, speaker: str = "user") -> Note:
    return Note(seq, 0, speaker, "user", "", text, 9)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Always name the room when I ask about lamps", True),
        ("I'll always name the room when asking about lamps", True),
        ("Never name the room when I ask about lamps", False),
        ("Don't always name the room when I ask about lamps", False),
        ("Always name the room and the price when I ask about lamps", False),
        ("The lamps of room 4 are dark", False),
    ],
)
def test_a_note_that_says_a_rule_again_is_left_out(text: str, *, is_told: bool) -> None:
    assert without_rules([note(text)], [anchor()]) == ([] if is_told else [note(text)])


def test_what_another_speaker_says_stays() -> None:
    assert without_rules([note(RULE, speaker="Mara")], [anchor()])


@pytest.mark.parametrize("kind", [AnchorType.CRITICAL_FACT, AnchorType.DECISION, AnchorType.COMMITMENT])
def test_a_fact_is_told_where_it_belongs(kind: AnchorType) -> None:
    assert without_rules([note(RULE)], [anchor(kind=kind)])


words = st.lists(st.sampled_from(["lamps", "room", "never", "brass", "always", "price"]), min_size=1).map(" ".join)


@given(st.lists(words), st.lists(words))
def test_notes_keep_their_order_and_only_go_for_a_rule_that_has_all_their_words(
    said: list[str], rules: list[str]
) -> None:
    notes = [note(text, seq=seq) for seq, text in enumerate(said, 1)]
    kept = without_rules(notes, [anchor(text) for text in rules])
    assert kept == [each for each in notes if each in kept]
    for each in notes:
        has_all = any(set(each.text.split()) <= set(rule.split()) for rule in rules)
        assert (each not in kept) is has_all
