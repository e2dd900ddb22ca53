"""What chats say otherwise in few words: by what a later clause shares with an earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.retold import may_tell_otherwise, tells_otherwise
from turnfold_worker.pipeline.anchors.statements.told_clauses import told_clauses
from turnfold_worker.pipeline.language.common_words import listed

_WORDS = st.sampled_from(
    sorted(
        listed("i we it the our bed 4 5 is been bumped moved to from on sunday now instead then not any more so")
        | listed("sam noor handling budget 30 60s litres if off because half , . → [ ' 's")
    )
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bed 7 is on 2 litres of oxygen", "bed 7's been bumped to 3 litres of oxygen"),
        ("The cap is 20 guests a night", "the cap's 25 guests a night now"),
        ("we sell 80 loaves on a monday", "it's more like 95 loaves on a monday now"),
        ("Ada's handling the invoices", "Ada's off so Ben is handling the invoices"),
        ("we've got 12 open invoices", "down to 5 open invoices"),
        ("picnic at mine on saturday", "looks like rain, picnic's on sunday instead"),
    ],
)
def test_another_value_in_few_words_takes_the_place_of_the_earlier_one(old: str, new: str) -> None:
    assert tells_otherwise(new, old)
    assert may_tell_otherwise(new)
    assert not tells_otherwise(old, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bed 7 is on 2 litres of oxygen", "bed 8's been bumped to 3 litres of oxygen"),
        ("we sell 80 loaves on a monday", "we sell 95 loaves on a friday now"),
        ("the cap is 20 guests a night", "if it rains the cap's 25 guests a night now"),
        ("the cap is 20 guests a night", "they almost raised the cap to 25 guests a night"),
        ("the cap is 20 guests a night", "is the cap 25 guests a night now?"),
        ("the cap is 20 guests a night", "for weddings the cap's 25 guests a night now"),
        ("The limit is 30 days", "For seat maps, the limit is 14 days"),
        ("Block A has 12 flats", "Block B has 18 flats"),
        ("we train on Tuesdays and Fridays", "this week we only train on Tuesday"),
        ("the timeout is 30 seconds", "bumped it to 60 seconds"),
        ("infrastructure has 900 euros, not 2,400", "90 days after the visit then, deleted automatically"),
        ("I sent report 3 to the auditors", "I sent report 4 to the auditors"),
        ("the fee is 400 euros", "My brother's school raised the fee to 460 euros"),
        ("It listens on port 7208", "Actually, it listens on port 9272, not 7195"),
    ],
)
def test_what_is_of_another_thing_or_time_or_supposed_takes_the_place_of_nothing(old: str, new: str) -> None:
    assert not tells_otherwise(new, old)


@given(st.lists(_WORDS, max_size=14).map(" ".join), st.lists(_WORDS, max_size=14).map(" ".join))
def test_no_text_takes_its_own_place_and_what_is_supposed_takes_none(one: str, other: str) -> None:
    assert not tells_otherwise(one, one)
    assert not tells_otherwise(f"if {one}", other)
    assert all(token.word for told in told_clauses(one) for token in told.tokens)
