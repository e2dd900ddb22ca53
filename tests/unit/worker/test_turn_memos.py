"""Stored memos of the turns in an open tail save work and do not change results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from sqlalchemy import text

from support.in_memory import InMemory
from support.shared_folds import folded_anew
from support.wild_turns import said, wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold.wire.turn_edits import TurnChange, delete, edit, rewind
from turnfold_worker.adapters.sql import turn_memos as sql_turn_memos
from turnfold_worker.pipeline.anchors import extraction
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.notes import turn_notes
from turnfold_worker.pipeline.notes.turn_notes import noted
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns import reading
from turnfold_worker.pipeline.turns.memo import TurnMemo, hash_of, memos_of
from turnfold_worker.pipeline.turns.treatment import read_segment

TALK = (
    "We keep the seat map in Frankfurt, and Ana moves the nightly job there before 7 May.",
    "Noted: the seat map stays in Frankfurt. Shall I ask the vendor for an offer?",
    "Yes, please. The budget is 2,000 euros, and nobody deploys on Fridays.",
    "I'll ask them tomorrow.",
)


@pytest.fixture
def memory() -> Iterator[InMemory]:
    conversation = InMemory()
    with folded_anew("work is counted"):
        yield conversation
    conversation.close()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Record the stages that run, each with the number of its turn."""
    ran: list[tuple[str, int]] = []

    def noting(stage: str, function: Any) -> Any:
        def run(reading: Any, *more: Any) -> Any:
            ran.append((stage, reading.turn.seq))
            return function(reading, *more)

        return run

    monkeypatch.setattr(turn_notes, "_of_prose", noting("notes", turn_notes._of_prose))
    monkeypatch.setattr(extraction, "turn_acts", noting("acts", extraction.turn_acts))
    return ran


def append(memory: InMemory, first: int, last: int) -> None:
    """Append turns `first` to `last` and fold them."""
    memory.append([
        {"role": "assistant" if seq % 2 == 0 else "user", "content": TALK[seq - 1], "turn_id": f"t-{seq}"}
        for seq in range(first, last + 1)
    ])  # fmt: skip
    memory.settle()


def rows(memory: InMemory) -> list[int]:
    with memory.engine.begin() as connection:
        return list(connection.scalars(text("SELECT seq FROM turn_memo ORDER BY seq")))


@given(wild_turns())
def test_what_is_read_back_is_what_was_made(turns: list[StoredTurn]) -> None:
    def made(memos: dict[int, TurnMemo]) -> tuple[Any, ...]:
        readings = read_segment(turns, memos=memos)
        return readings, noted(readings), extract_anchors(readings, FoldSettings())

    first = memos_of(turns, {})
    alone, kept = made({}), made(first)
    stored = {seq: TurnMemo(memo.turn_hash, json.loads(json.dumps(memo.made)), row=1) for seq, memo in first.items()}
    again = memos_of(turns, stored)
    assert alone == kept == made(again)
    assert all(again[seq] is stored[seq] for seq in stored)
    assert not any(memo.has_changed for memo in again.values()), "nothing was made a second time"


@pytest.mark.parametrize(
    "other",
    [
        said("Yes.", role=Role.ASSISTANT), said("Yes!"), said("Yes.", name="Ana"), said("Yes.", minutes=1),
        said("Yes.", parts={"tool_calls": []}),
    ],
)  # fmt: skip
def test_a_memo_of_another_turn_does_not_hold(other: StoredTurn) -> None:
    turn = said("Yes.")
    assert hash_of(turn) != hash_of(other)
    assert memos_of([other], memos_of([turn], {}))[1].turn_hash == hash_of(other)
    assert memos_of([turn], memos_of([turn], {}))[1].turn_hash == hash_of(turn)


def test_of_a_very_long_turn_nothing_is_kept() -> None:
    assert memos_of([said("Yes. " * 4_000)], {}) == {}


def test_a_fold_reads_of_the_open_tail_only_what_is_new(memory: InMemory, read: list[tuple[str, int]]) -> None:
    append(memory, 1, 2)
    assert sorted(read) == [("acts", 1), ("acts", 2), ("notes", 1), ("notes", 2)]
    read.clear()
    append(memory, 3, 4)
    assert sorted(read) == [("acts", 3), ("acts", 4), ("notes", 3), ("notes", 4)]
    assert rows(memory) == [1, 3]

    whole = InMemory()
    append(whole, 1, 4)
    assert memory.digest() == whole.digest()
    whole.close()


def test_sentences_and_facts_of_a_turn_are_looked_for_once(memory: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    parts_of = reading._parts_of

    def searching(turn: StoredTurn) -> Any:
        searched.append(turn.seq)
        return parts_of(turn)

    monkeypatch.setattr(reading, "_parts_of", searching)
    append(memory, 1, 2)
    append(memory, 3, 4)
    assert searched == [1, 2, 3, 4]


def test_what_another_version_of_the_rules_made_is_made_again(
    memory: InMemory, read: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    append(memory, 1, 2)
    read.clear()
    monkeypatch.setattr(sql_turn_memos, "rules_hash", lambda: "newer")
    append(memory, 3, 4)
    assert len(read) == 2 * 4
    read.clear()
    memory.append([{"role": "user", "content": "Any news?"}])
    memory.settle()
    assert sorted(read) == [("acts", 5), ("notes", 5)]


@pytest.mark.parametrize(
    "change", [edit("t-2", "The seat map moves to Paris.", max_bytes=1_000), delete("t-2"), rewind("t-1")]
)
def test_nothing_is_left_of_a_turn_that_was_changed(memory: InMemory, change: TurnChange) -> None:
    append(memory, 1, 3)
    assert rows(memory) == [1]
    memory.change(change)
    memory.drain(memory.stored, len(memory.entries))
    assert rows(memory) == []
    memory.fold()
    assert rows(memory) == [1]


def test_rows_go_with_the_segment_that_holds_their_turns(memory: InMemory) -> None:
    for turn in range(40):
        memory.append([{"role": "assistant" if turn % 2 else "user", "content": f"{TALK[turn % 4]} Item {turn}."}])
        memory.settle()
    with memory.engine.begin() as connection:
        closed = connection.scalar(text("SELECT closed_seq FROM conversation"))
    assert closed
    assert rows(memory)
    assert min(rows(memory)) > closed
