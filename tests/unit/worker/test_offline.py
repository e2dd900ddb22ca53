"""What an offline fold refuses, and what it keeps apart."""

from __future__ import annotations

import gc
import sqlite3
from typing import Any

import pytest

from turnfold import InvalidTurn
from turnfold_worker.offline import fold


@pytest.mark.parametrize("turns", [None, 5, "Hello."])
def test_what_is_no_list_of_turns_is_refused(turns: Any) -> None:
    with pytest.raises(InvalidTurn, match=f"not {'text' if turns == 'Hello.' else type(turns).__name__}"):
        fold(turns)


def test_one_turn_is_a_conversation_too() -> None:
    with fold({"role": "user", "content": "Hello."}) as conversation:
        assert conversation.status().stored == 1


def test_the_memory_is_free_when_a_conversation_is_dropped_without_a_word() -> None:
    conversation = fold({"role": "user", "content": "Hello."})
    with conversation._engine.connect() as connection:
        memory: Any = connection.connection.driver_connection
    assert memory.execute("SELECT count(*) FROM turn").fetchone() == (1,)
    del conversation
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        memory.execute("SELECT 1")


def test_a_promise_of_another_speaker_in_a_later_segment_is_another_anchor() -> None:
    promise = "I'll send the contract to the bank on Friday."
    said = [("Ana", promise), *(("Omar", f"Nothing of note, part {part}.") for part in range(6)), ("Omar", promise)]
    later = [("Ana", f"Nothing new, part {part}.") for part in range(9)]
    turns = [
        {"role": "user", "name": name, "turn_id": f"t{number}", "content": content}
        for number, (name, content) in enumerate([*said, *later])
    ]
    with fold(turns, settings={"segment_max_turns": 4}) as folded:
        states = [(one.turn_seq, str(one.state)) for one in folded.anchors(states=None) if one.text == promise]
    assert sorted(states) == [(1, "active"), (8, "active")]
