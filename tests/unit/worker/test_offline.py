"""Offline folds refuse invalid input, free their memory, and keep conversations and speakers apart."""

from __future__ import annotations

import gc
import sqlite3
from datetime import UTC, datetime
from inspect import Parameter, signature
from typing import Any, Final

import pytest

from turnfold import InvalidInput, InvalidTurn, Turnfold
from turnfold_worker.offline import FoldedConversation, fold

OF_SERVERS: Final = {
    # The query vector is computed here.
    "context": {"query_vector"},
    # No lookups are counted, and there is no worker to wait for.
    "expand": {"counted", "reconstruct", "timeout_seconds"},
}


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


@pytest.mark.parametrize(
    "verb",
    [
        "anchors",
        "context",
        "expand",
        "handle_tool_call",
        "notes",
        "relations",
        "search",
        "status",
        "tiers",
        "timeline",
        "tools",
    ],
)
def test_a_read_takes_what_the_clients_takes(verb: str) -> None:
    def taken_by(kind: type) -> dict[str, Parameter]:
        parameters = signature(getattr(kind, verb)).parameters
        return {name: parameters[name] for name in parameters if name not in {"self", "conversation_id"}}

    of_client, offline = taken_by(Turnfold), taken_by(FoldedConversation)
    assert OF_SERVERS.get(verb, set()) == of_client.keys() - offline.keys()
    assert offline == {name: parameter for name, parameter in of_client.items() if name in offline}


def test_arguments_of_reads_do_what_the_clients_do() -> None:
    turns = [
        {
            "role": "user",
            "content": f"We must release part {day} before noon.",
            "created_at": f"2026-05-{day:02}T09:00:00Z",
        }
        for day in range(1, 25)
    ]
    with fold(turns, settings={"segment_max_turns": 4}) as folded:
        first, second, *_ = folded.anchors()
        assert folded.anchors(ids=[second.id]) == [second]
        assert folded.notes()
        assert folded.notes(written_by="rules") == folded.notes()
        assert folded.notes(written_by="model") == []
        for written_by in ("nobody", ["rules"]):
            with pytest.raises(InvalidInput, match="written_by must be"):
                folded.notes(written_by=written_by)  # type: ignore[arg-type]
        by_now = [
            [
                hit.first_seq
                for hit in folded.search("What did I say yesterday?", now=datetime(2026, 5, day, tzinfo=UTC))
            ]
            for day in (4, 12)
        ]
        assert by_now[0] != by_now[1]
        for query in (5, None):
            with pytest.raises(InvalidInput, match="query must be text"):
                folded.search(query)  # type: ignore[arg-type]
    assert first != second
