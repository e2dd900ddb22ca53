"""What reads of one state work out is remembered for the next one, however many there are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble import Request, choose
from turnfold.assemble.memo import Memo
from turnfold.contract.notes import joined
from turnfold.contract.results import Snapshot


def test_prices_that_are_too_many_give_way_to_new_ones_that_are_remembered() -> None:
    memo = Memo()
    snapshot, request = Snapshot(conversation_id="c", head=None), Request(budget_tokens=1_000)
    first = choose(snapshot, request, memo).pricing
    assert choose(snapshot, request, memo).pricing is first

    for number in range(5_000):
        first.count(f"word {number}")
    second = choose(snapshot, request, memo).pricing

    assert second is not first
    assert choose(snapshot, request, memo).pricing is second


@given(st.lists(st.text("a; ", min_size=1, max_size=4), max_size=5))
def test_notes_of_a_line_are_parted_by_one_semicolon(texts: list[str]) -> None:
    parted = [text if text.endswith(";") else f"{text};" for text in texts[:-1]]
    assert joined(texts) == " ".join([*parted, *texts[-1:]])
