"""Recent turns are priced while they are put before each other, as they are priced together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.pricing import Pricing, Style
from turnfold.assemble.raw_block import Block
from turnfold.contract.records import Role, StoredTurn
from turnfold.tokens import ESTIMATOR

_DAY = datetime(2026, 3, 2, tzinfo=UTC)


@st.composite
def shown_turns(draw: st.DrawFn) -> ShownTurn:
    days = draw(st.none() | st.integers(0, 2))
    content = draw(st.sampled_from(["", "Yes.", "We decided to use PostgreSQL 16.", "one\nuser: two"]))
    seq = draw(st.integers(1, 10_000))
    turn = StoredTurn(
        seq=seq, turn_id=f"t{seq}", role=draw(st.sampled_from(list(Role))), content=content, name=None,
        created_at=None if days is None else _DAY + timedelta(days=days),
    )  # fmt: skip
    return ShownTurn(turn, content, hidden=draw(st.sampled_from([False, False, False, True])))


@given(st.lists(shown_turns(), max_size=12, unique_by=lambda shown: shown.turn.seq), st.integers(0, 12))
def test_turns_cost_the_same_put_before_each_other_one_by_one(turns: list[ShownTurn], at: int) -> None:
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=("[", "user:")))
    block = Block(pricing, tuple(turns[at:]))
    assert block.tokens == pricing.raw(turns[at:])
    for shown in reversed(turns[:at]):
        block.put_before(shown)
    assert block.tokens == pricing.raw(turns)
