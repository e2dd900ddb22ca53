"""Pages of a conversation's turns, with waiting changes applied, and of a tenant's conversations by name."""

from __future__ import annotations

import asyncio

import pytest

from conftest import LocalWorker
from turnfold import AsyncTurnfold, Turnfold
from turnfold.contract.records import TurnState
from turnfold.database import read_transaction
from turnfold.errors import InvalidIdentifier, InvalidInput, UnknownConversation
from turnfold.settings import Settings


def said(tf: Turnfold, name: str, first: int, last: int) -> None:
    tf.append(name, [{"turn_id": f"t{n}", "role": "user", "content": f"Number {n}."} for n in range(first, last + 1)])


def all_turns(tf: Turnfold, name: str, *, limit: int) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    while page := tf.turns(name, after=found[-1][0] if found else 0, limit=limit):
        assert len(page) <= limit
        found += [(turn.seq, turn.content) for turn in page]
    return found


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_pages_hold_every_turn_once_in_order_stored_or_waiting(tf: Turnfold, local: LocalWorker, limit: int) -> None:
    said(tf, "c", 1, 10)
    local.settle()
    said(tf, "c", 8, 13)
    assert all_turns(tf, "c", limit=limit) == [(n, f"Number {n}.") for n in range(1, 14)]
    local.settle()
    assert all_turns(tf, "c", limit=limit) == [(n, f"Number {n}.") for n in range(1, 14)]


def test_changes_that_wait_are_shown(tf: Turnfold, local: LocalWorker) -> None:
    said(tf, "c", 1, 6)
    local.settle()
    tf.edit("c", "t2", content="Two.")
    tf.delete("c", "t3")
    tf.rewind("c", after="t4")
    for _ in range(2):
        turns = tf.turns("c")
        assert [turn.content for turn in turns] == ["Number 1.", "Two.", "", "Number 4."]
        assert turns[2].state is TurnState.DELETED
        local.settle()


def test_a_page_of_large_turns_ends_early_and_none_is_skipped(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_transaction, "CHARACTERS_A_PAGE", 30)
    said(tf, "c", 1, 10)
    local.settle()
    said(tf, "c", 11, 12)
    assert [turn.seq for turn in tf.turns("c")] == [1, 2, 3, 4]
    assert all_turns(tf, "c", limit=100) == [(n, f"Number {n}.") for n in range(1, 13)]
    tf.rewind("c", after="t6")
    said(tf, "c", 20, 21)
    for limit in (1, 2, 100):
        expected = [(n, f"Number {n}.") for n in range(1, 7)] + [(7, "Number 20."), (8, "Number 21.")]
        assert all_turns(tf, "c", limit=limit) == expected


def test_parts_and_long_turns_are_whole(tf: Turnfold, local: LocalWorker) -> None:
    long = "word " * 60_000
    parts = [{"type": "text", "text": "See."}, {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]
    tf.append("c", [{"role": "user", "content": long}, {"role": "user", "content": parts}])
    for _ in range(2):
        whole, pictured = tf.turns("c")
        assert whole.content == long
        assert pictured.parts == {"content": parts}
        local.settle()


def test_conversations_are_listed_by_name_page_by_page(tf: Turnfold, local: LocalWorker) -> None:
    for name in ("b", "a", "d", "c"):
        said(tf, name, 1, 2)
    said(tf.for_tenant("other"), "e", 1, 1)
    local.settle()
    tf.forget("b", timeout_seconds=0)
    first = tf.conversations(limit=1)
    assert [one.conversation_id for one in first] == ["a"]
    assert (first[0].turns, first[0].folded, first[0].closed) == (2, 2, 0)
    assert [one.conversation_id for one in tf.conversations(after="a", limit=1)] == ["c"]
    assert [one.conversation_id for one in tf.conversations(after="a")] == ["c", "d"]
    assert tf.conversations(after="d") == []


def test_the_asynchronous_client_reads_the_same(tf: Turnfold, local: LocalWorker, settings: Settings) -> None:
    said(tf, "c", 1, 3)
    local.settle()

    async def read() -> tuple[object, object]:
        async with AsyncTurnfold(settings=settings) as client:
            return await client.turns("c", after=1), await client.conversations()

    assert asyncio.run(read()) == (tf.turns("c", after=1), tf.conversations())


@pytest.mark.parametrize("after", [2**31, 2**63, 10**30])
def test_after_any_number_comes_nothing(tf: Turnfold, after: int) -> None:
    said(tf, "c", 1, 1)
    assert list(tf.turns("c", after=after)) == []
    assert list(tf.segments("c", after=after)) == []
    assert list(tf.timeline("c", after=after)) == []


def test_bad_input_is_refused(tf: Turnfold) -> None:
    with pytest.raises(UnknownConversation):
        tf.turns("nobody")
    said(tf, "c", 1, 1)
    for wrong in ({"after": -1}, {"limit": 0}, {"limit": 1_001}, {"after": "x"}, {"limit": True}):
        with pytest.raises(InvalidInput):
            tf.turns("c", **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        tf.conversations(limit=0)
    with pytest.raises(InvalidInput, match="at most 200 characters"):
        tf.conversations(containing="x" * 201)
    assert tf.conversations(containing="x" * 200) == []
    with pytest.raises(InvalidIdentifier):
        tf.conversations(after="\n")
