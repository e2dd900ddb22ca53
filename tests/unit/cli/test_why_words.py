"""The explanation of why a statement is no longer in force names the turn and the words that closed it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold_worker.cli.why_words import CLOSED, newest_closed, why_closed


def anchor(id_: int, text: str, *, state: AnchorState = AnchorState.ACTIVE, by: int | None = None) -> Anchor:
    return Anchor(
        id=id_, type=AnchorType.DECISION, text=text, turn_seq=10 * id_, start=0, end=len(text), state=state, score=5,
        rank=5, tokens=5, related=by, day="5 May 2026",
    )  # fmt: skip


NEW = anchor(2, "The rent is 910 euros.")


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (AnchorState.ACTIVE, ""),
        (AnchorState.SUPERSEDED, 'replaced by turn 20 on 5 May 2026: "The rent is 910 euros."'),
        (AnchorState.RESOLVED, 'resolved by turn 20 on 5 May 2026: "The rent is 910 euros."'),
        (AnchorState.DUPLICATE, 'turn 20 says the same: "The rent is 910 euros."'),
        (AnchorState.DISMISSED, "it was dismissed as unimportant"),
    ],
)
def test_what_closed_a_statement_is_named(state: AnchorState, told: str) -> None:
    assert why_closed(anchor(1, "The rent is 860 euros.", state=state, by=2), {2: NEW}) == told


def test_what_closed_a_statement_without_a_day_or_in_many_words_is_told_shortly() -> None:
    by = replace(NEW, day="", text="word " * 60)
    told = why_closed(anchor(1, "The rent is 860 euros.", state=AnchorState.SUPERSEDED, by=2), {2: by})
    assert told.startswith('replaced by turn 20: "word word')
    assert told.endswith(' …"')
    assert len(told) < 120


@pytest.mark.parametrize("by", [None, 99])
@pytest.mark.parametrize("state", [state for state in AnchorState if state is not AnchorState.ACTIVE])
def test_each_closed_state_has_words_where_nothing_is_known_to_have_closed_it(
    state: AnchorState, by: int | None
) -> None:
    told = why_closed(anchor(1, "The rent is 860 euros.", state=state, by=by), {})
    assert told
    assert "{" not in told


@given(st.lists(st.tuples(st.sampled_from(AnchorState), st.none() | st.integers(1, 9)), max_size=9), st.integers(0, 9))
def test_the_newest_closed_statements_are_those_that_late_turns_closed(
    states: list[tuple[AnchorState, int | None]], most: int
) -> None:
    anchors = [anchor(id_, "words", state=state, by=by) for id_, (state, by) in enumerate(states, 1)]
    by_id = {each.id: each for each in anchors}
    closed = [each for each in anchors if each.state in CLOSED]
    gone = newest_closed(closed, by_id, most=most)
    assert len(gone) == min(most, len(closed))

    def closed_at(each: Anchor) -> int:
        return by_id[each.related].turn_seq if each.related is not None and each.related in by_id else each.turn_seq

    ends = [closed_at(each) for each in gone]
    assert ends == sorted(ends, reverse=True)
    assert all(closed_at(each) <= min(ends, default=90) for each in closed if each not in gone)
