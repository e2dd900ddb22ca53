"""A read shortens long turns within its limits, independent of a database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnfold.assemble.forms.clip import clip_middle
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.turn_limits import LEAST_CAP, LONG_PARTS, LONG_PARTS_TURNS, MOST_CAP, Shortening, cap_for


def turn(seq: int, content: str, parts: dict[str, Any] | None = None) -> StoredTurn:
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=Role.USER, content=content, parts=parts, metadata={"k": 1})


@pytest.mark.parametrize(("tokens", "cap"), [(1, LEAST_CAP), (1_000, 8_000), (2 * 10**8, MOST_CAP), (10**18, MOST_CAP)])
def test_a_budget_decides_how_much_is_read_within_what_sql_takes(tokens: int, cap: int) -> None:
    assert cap_for(tokens) == cap


@pytest.mark.parametrize("cap", [99, 100, 101, 4_096])
def test_a_long_content_keeps_both_ends_and_a_shorter_one_all_of_it(cap: int) -> None:
    short = Shortening.to(cap, last_seq=1)
    assert short.cap == cap
    whole = "abcdefghij" * 1_000
    assert short.of(turn(1, whole[:cap])).content == whole[:cap]
    assert short.of(turn(1, whole[:cap])).kept is None
    cut = short.of(turn(1, whole))
    assert cut.kept == short.head
    assert (cut.content[: short.head], cut.content[short.head :]) == (whole[: short.head], whole[-short.tail :])


@pytest.mark.parametrize("cap", [99, 100, 101, 4_096])
def test_a_clipped_turn_never_shows_words_from_the_middle_as_its_end(cap: int) -> None:
    whole = "".join(f"{i:05d}." for i in range(2_000))
    cut = Shortening.to(cap, last_seq=1).of(turn(1, whole))
    for room in (cap // 5, cap // 2, cap - 10, cap * 2):
        begin, _, end = clip_middle(cut.content, room, " | ", len).partition(" |")
        assert whole.startswith(begin)
        assert whole.endswith(end.lstrip())


def test_long_parts_are_read_of_the_newest_turns_alone() -> None:
    parts = {"content": [{"type": "image", "data": "A" * 100_000}]}
    short = Shortening.to(5_000, last_seq=20)
    for seq in range(1, 21):
        read = short.of(turn(seq, "[image]", parts))
        newest = seq > 20 - LONG_PARTS_TURNS
        assert (read.parts, read.without_parts) == ((parts, False) if newest else (None, True))
    huge = {"content": [{"type": "image", "data": "A" * LONG_PARTS}]}
    assert short.of(turn(20, "[image]", huge)).without_parts
    assert not short.of(turn(1, "x")).without_parts


def test_parts_are_measured_as_sql_holds_them() -> None:
    parts = {"content": ["é🙂", {"a": 1, "b": [1, 2]}]}
    length = len(json.dumps(parts))
    assert Shortening.to(length, last_seq=50).of(turn(1, "x", parts)).parts == parts
    assert Shortening.to(length - 1, last_seq=50).of(turn(1, "x", parts)).without_parts
