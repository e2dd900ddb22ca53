"""Pages of verbatim turns contain every word exactly once, for any page size and any text."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.assemble import Page, TurnPiece, page
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.turn_limits import cap_for
from turnfold.tokens import estimate_tokens

_PIECES = ["word ", "user: ", "\n[turns 1-9] ", "数据库", "🚀", " " * 40, "\r\n", "a1" * 30, "-" * 50]
words = st.text(max_size=60) | st.lists(st.sampled_from(_PIECES), max_size=300).map("".join)


@st.composite
def conversations(draw: st.DrawFn) -> list[StoredTurn]:
    return [
        StoredTurn(
            seq=seq, turn_id=f"t{seq}", role=draw(st.sampled_from(list(Role))), content=draw(words),
            name=draw(st.sampled_from([None, "Mara", "[x"])),
        )
        for seq in range(1, draw(st.integers(2, 7)))
    ]  # fmt: skip


def all_pages(turns: list[StoredTurn], max_tokens: int | None) -> list[Page]:
    """Follow the pages to the last one, reading no more of a turn than an expansion does."""
    cap = 10**6 if max_tokens is None else cap_for(max_tokens)
    found: list[Page] = []
    at: tuple[int, int] | None = (1, 0)
    while at is not None:
        first, offset = at
        pieces = [TurnPiece.of(turn, offset=offset if turn.seq == first else 0) for turn in turns if turn.seq >= first]
        found.append(page([piece.shortened(cap) for piece in pieces], max_tokens))
        assert found[-1].goes_on is None or found[-1].goes_on > at
        at = found[-1].goes_on
    return found


@examples(100)
@given(conversations(), st.none() | st.integers(1, 200))
def test_every_word_stands_on_exactly_one_page_within_its_room(turns: list[StoredTurn], max_tokens: int | None) -> None:
    found = all_pages(turns, max_tokens)
    shown = [turn for one in found for turn in one.turns]
    for turn in turns:
        assert "".join(piece.content for piece in shown if piece.seq == turn.seq) == turn.content
    assert [turn.seq for turn in shown] == sorted(turn.seq for turn in shown)
    for one in found:
        assert one.tokens == estimate_tokens(one.text)
        single = sum(len(turn.content) for turn in one.turns) <= 1
        assert max_tokens is None or one.tokens <= max_tokens or single
    assert max_tokens is not None or len(found) == 1


def test_a_turn_that_goes_on_says_so_and_keeps_its_speaker() -> None:
    turn = StoredTurn(seq=1, turn_id="t", role=Role.USER, content="one two three four " * 20, name="Mara")
    first, second = all_pages([turn], 60)[:2]
    assert first.text.startswith("Mara: one two")
    assert second.text.startswith("Mara: … ")


def test_a_turn_that_an_earlier_page_began_leads_on_to_the_next_turn() -> None:
    turns = [StoredTurn(seq=i, turn_id=f"t{i}", role=Role.USER, content="word " * 100) for i in (1, 2)]
    at = [one.goes_on for one in all_pages(turns, 80)]
    assert at[-1] is None
    assert (2, 0) in at
    assert replace(turns[0], content="") not in [turn for one in all_pages(turns, 80) for turn in one.turns]
