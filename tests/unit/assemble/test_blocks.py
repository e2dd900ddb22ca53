"""Recent turns cost the same when prepended one by one as when priced together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import day_lines
from turnfold.assemble.pricing import Block, Pricing, Style
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
def test_turns_put_before_each_other_one_by_one_cost_what_their_lines_cost(turns: list[ShownTurn], at: int) -> None:
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=("[", "user:")))
    block = Block(pricing, tuple(turns[at:]))
    for shown in reversed(turns[:at]):
        block.put_before(shown)

    assert block.tokens == pricing.raw(turns)
    if turns:
        priced = [pricing.turn(shown) for shown in turns]
        around = pricing.around(begins_well=priced[0].begins_well)
        lines = sum(pricing.count(line) for line in day_lines(turns))
        assert block.tokens == max(
            around.text + lines + sum(turn.text for turn in priced),
            around.openai + sum(turn.openai for turn in priced),
            around.anthropic + sum(turn.anthropic for turn in priced),
        )
