"""Reads reuse cached results of earlier states, within bounds and without changing the context."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.examples import examples
from support.seals import SEALS
from tests.unit.assemble.strategies import Conversation, build, conversations
from turnfold.assemble import Context, Request, choose, finish
from turnfold.assemble.revision_cache import Memo
from turnfold.contract.notes import Note, closes, joined
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.results import Snapshot
from turnfold.errors import InvalidBudget


@pytest.mark.parametrize(("texts", "characters"), [(5_000, 10), (30, 50_000)])
def test_prices_that_are_too_many_give_way_to_new_ones_that_are_remembered(texts: int, characters: int) -> None:
    memo = Memo()
    snapshot, request = Snapshot(conversation_id="c", seals=SEALS, head=None), Request(budget_tokens=1_000)
    first = choose(snapshot, request, memo).pricing
    assert choose(snapshot, request, memo).pricing is first

    for number in range(texts):
        first.count(f"{number} ".ljust(characters, "."))
    second = choose(snapshot, request, memo).pricing

    assert second is not first
    assert choose(snapshot, request, memo).pricing is second


QUESTION = "Where do backups run?"


def read(snapshot: Snapshot, request: Request, memo: Memo) -> Context | int:
    """Return the context, or the budget in tokens that it would need."""
    if request.query:
        notes = () if snapshot.outline is None else tuple(snapshot.outline.notes)
        snapshot = replace(snapshot, hits=notes[::7])
    else:
        snapshot = replace(snapshot, excerpts=())
    try:
        return finish(choose(snapshot, request, memo), {})
    except InvalidBudget as error:
        return error.needed_tokens


@examples(50)
# In these examples the room left for notes near the end differs between reads.
@example(build(segments=100, tail=2, inbox=8, words=12, seed=0), [Request(budget_tokens=4_000)], 6)
@example(build(segments=100, tail=2, inbox=8, words=3, seed=4), [Request(budget_tokens=1_200)], 6)
@given(
    conversations(most_segments=600),
    st.lists(
        st.builds(
            Request,
            budget_tokens=st.sampled_from([150, 400, 1_200, 4_000, 16_000]),
            reserve_tokens=st.sampled_from([0, 0, 37]),
            query=st.sampled_from([None, None, None, QUESTION]),
            system=st.sampled_from([None, None, "Be brief."]),
        ),
        min_size=1, max_size=3, unique_by=repr,
    ),
    st.integers(1, 6),
)  # fmt: skip
def test_reads_while_turns_are_appended_equal_reads_that_remember_nothing(
    conversation: Conversation, requests: list[Request], appended: int
) -> None:
    """Cached values depend only on the state and the request, not on earlier reads."""
    snapshot = conversation.snapshot
    turns = snapshot.turns
    stored = snapshot.head.turn_count if snapshot.head else 0
    waiting = sum(turn.seq > stored for turn in turns)
    memo = Memo()
    most_missing = min(appended, waiting, max(0, len(turns) - 1))
    for missing in (*range(most_missing, 0, -1), 0):
        seen = replace(snapshot, turns=turns[: len(turns) - missing])
        remembering = [read(seen, request, memo) for request in requests]
        assert remembering == [read(seen, request, Memo()) for request in requests]


def test_a_turn_that_comes_again_at_another_time_is_shown_under_that_day() -> None:
    memo, request = Memo(), Request(budget_tokens=1_000)
    first = StoredTurn(seq=1, turn_id="a", role=Role.USER, content="Hello", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    again = replace(first, created_at=datetime(2026, 2, 2, tzinfo=UTC))
    for turn in (first, again):
        seen = Snapshot(conversation_id="c", seals=SEALS, head=None, turns=(turn,))
        assert read(seen, request, memo) == read(seen, request, Memo())


@given(st.lists(st.tuples(st.integers(1, 2), st.text("aB;?. ", min_size=1, max_size=4)), max_size=5))
def test_notes_of_a_line_are_parted_by_one_mark(said: list[tuple[int, str]]) -> None:
    notes = [Note(seq, 0, "Ana", "user", "", text, 1) for seq, text in said]
    parted = []
    for one, following in pairwise(notes):
        if one.seq != following.seq:
            mark = " /"
        elif closes(one.text):
            mark = ""
        else:
            mark = ";" if following.text[0].islower() else "."
        parted.append(one.text + mark)
    assert joined(notes) == " ".join([*parted, *(note.text for note in notes[-1:])])
