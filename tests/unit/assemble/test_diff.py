"""A diff of two contexts lists differing statements, not shorter wordings of the same one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.diff import Statement, diff_of
from turnfold_worker.offline import fold


def note(text: str, seq: int = 1) -> Statement:
    return Statement("note", text, seq, "Ana")


def test_a_note_in_fewer_words_is_the_same() -> None:
    whole, brief = note("I was in the park with the dog"), note("was in park with dog")
    assert not diff_of([whole], [brief])
    assert not diff_of([brief], [whole])


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The gate is open", "The gate is not open"),
        ("The gate isn't open", "The gate open"),
        ("The budget is 2,000 euros", "The budget is euros"),
        ("The budget is 2,000 euros", "The budget is 2,000 euros (or 3,500, both said in turn 1)"),
        ("The gate is open", "The door is open"),
    ],
)
def test_a_note_that_says_more_or_something_else_is_another(earlier: str, later: str) -> None:
    changed = diff_of([note(earlier)], [note(later)])
    assert [statement.text for statement in changed.left] == [earlier]
    assert [statement.text for statement in changed.came] == [later]


def test_the_same_words_of_another_turn_are_another_note() -> None:
    assert diff_of([note("The gate is open")], [note("gate is open", seq=2)])


@given(st.lists(st.builds(note, st.text("ab not1() ", min_size=1), st.integers(1, 3)), max_size=6))
def test_nothing_differs_from_itself(statements: list[Statement]) -> None:
    assert not diff_of(statements, statements)


def test_contexts_of_a_small_and_a_large_budget_differ_by_what_they_leave_out_alone() -> None:
    lines = [f"I painted the shed number {i} of the harbour in the colour of the sea." for i in range(200)]
    with fold([{"role": "user", "content": line} for line in lines]) as conversation:
        small = conversation.context(budget_tokens=700, query=False)
        large = conversation.context(budget_tokens=3_000, query=False)
    assert any(" painted shed number" in f" {statement.text}" for statement in small.statements)
    assert not [statement for statement in large.diff(small).left if statement.kind == "note"]
