"""A value computed from a turn is cached while the turn is unchanged, and never used for another one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from support.seals import SEALS
from turnfold.assemble import Request
from turnfold.assemble.forms.chat import whole
from turnfold.assemble.material import Material, gather
from turnfold.assemble.pricing import Pricing, Style
from turnfold.assemble.revision_cache import Memo
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.results import Snapshot
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.tokens import ESTIMATOR

STYLE = Style(short=False, openings=frozenset())


def turn(seq: int, content: str = "Nine hundred seats.", **more: object) -> StoredTurn:
    return replace(StoredTurn(seq=seq, turn_id=f"t{seq}", role=Role.USER, content=content, tokens=0), **more)  # type: ignore[arg-type]  # by name


def material() -> Material:
    return gather(Snapshot(conversation_id="c", head=None, seals=SEALS), Request(budget_tokens=500), Memo())


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(("Nine seats.", "Ten seats.", ""))), max_size=30))
def test_a_turn_is_looked_at_once_while_its_words_stay(looks: list[tuple[int, str]]) -> None:
    looked_at, at_hand = material(), list[StoredTurn]()
    newest: dict[int, str] = {}
    expected = 0

    def make(looked: StoredTurn) -> str:
        at_hand.append(looked)
        return looked.content

    for seq, content in looks:
        assert looked_at.of_turn("content", turn(seq, content), make) == content
        expected += newest.get(seq) != content
        newest[seq] = content
    assert len(at_hand) == expected


def test_few_turns_are_remembered_where_nothing_is_folded_for_long() -> None:
    looked_at = material()
    for seq in range(1, 10 * TURNS_A_READ):
        looked_at.of_turn("content", turn(seq), lambda looked: looked.content)
    table: dict[int, object] = looked_at.memo.of("content", dict)
    assert 0 < len(table) <= 2 * TURNS_A_READ


def test_the_price_of_a_turn_is_of_what_it_is_now() -> None:
    pricing = Pricing(ESTIMATOR, STYLE)
    call = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "seats", "arguments": "{}"}}]}
    longer = {"tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "seats", "arguments": '{"limit": "nine hundred"}'}}
    ]}  # fmt: skip
    variants = (
        turn(1), turn(1, role=Role.ASSISTANT), turn(1, name="Mara"), turn(1, role=Role.ASSISTANT, parts=call),
        turn(1, role=Role.ASSISTANT, parts=longer),
    )  # fmt: skip
    for _ in range(2):
        for variant in variants:
            assert pricing.turn(whole(variant)) == Pricing(ESTIMATOR, STYLE).turn(whole(variant))
    assert len({pricing.turn(whole(variant)) for variant in variants}) == len(variants)
