"""Editing or deleting a turn changes its words, and keeps what a provider needs of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidIdentifier, InvalidInput, InvalidTurn
from turnfold.assemble.forms.chat import call_ids, result_ids
from turnfold.contract.records import Importance, StoredTurn, TurnState
from turnfold.contract.tasks import Operation
from turnfold.wire.decode import decode_turn
from turnfold.wire.encode import accept
from turnfold.wire.turn_edits import delete, deleted, edit, edited, read_change, rewind

LIMIT = 1_000_000
CALL = {"id": "k1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "k1", "name": "run", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "k1", "content": "it failed"}


def turn(**given: Any) -> StoredTurn:
    entry = accept({"turn_id": "t", **given}, max_bytes=LIMIT)
    return decode_turn(entry.body, seq=7, turn_id=entry.entry_id)


@pytest.mark.parametrize(
    "given",
    [
        {"role": "user", "content": "old"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "old"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        {"role": "assistant", "content": "old", "tool_calls": [CALL]},
        {"role": "assistant", "content": [{"type": "text", "text": "old"}, USE]},
        {"role": "user", "content": [RESULT, {**RESULT, "tool_use_id": "k2"}]},
        {"role": "tool", "tool_call_id": "k1", "content": "old"},
        {"role": "assistant", "content": None, "refusal": "old"},
    ],
)
def test_an_edit_changes_words_and_leaves_calls_and_results(given: dict[str, Any]) -> None:
    before = turn(**given, name="Mara", importance="high")
    after = edited(before, "new words")
    assert "new words" in after.content
    assert "old" not in f"{after.content} {after.parts}"
    assert "failed" not in f"{after.content} {after.parts}"
    assert (call_ids(after), result_ids(after)) == (call_ids(before), result_ids(before))
    same = ("seq", "turn_id", "role", "name", "importance", "created_at", "metadata")
    assert [getattr(after, one) for one in same] == [getattr(before, one) for one in same]
    assert after.state is TurnState.STORED


def test_parts_that_are_given_are_taken_as_they_are() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "v"}}]
    after = edited(turn(role="user", content="old"), parts)
    assert (after.content, after.parts) == ("see\n[image]", {"content": parts})


@given(text=st.text(min_size=1, max_size=40).filter(lambda one: one.strip() and one.strip("\x00")))
def test_an_edited_turn_is_the_turn_that_would_have_been_appended_with_these_words(text: str) -> None:
    change = read_change("edit", edit("t", text, max_bytes=LIMIT).body)
    appended = turn(role="user", content=text)
    assert change.of(turn(role="user", content="old")) == appended


def test_a_deleted_turn_keeps_its_place_and_nothing_that_was_said() -> None:
    gone = deleted(turn(role="assistant", content="old", name="Mara", tool_calls=[CALL], metadata={"old": 1}))
    assert (gone.seq, gone.turn_id, gone.role, gone.state) == (7, "t", "assistant", TurnState.DELETED)
    assert (gone.content, gone.parts, gone.name, gone.metadata, gone.tokens) == ("", None, None, None, 0)
    assert gone.importance is Importance.NORMAL


@pytest.mark.parametrize("content", [None, "", "  ", [], [{"type": "text", "text": " "}]])
def test_an_edit_without_words_is_refused(content: object) -> None:
    with pytest.raises(InvalidTurn, match="delete the turn"):
        edit("t", content, max_bytes=LIMIT)


def test_what_cannot_be_asked_for_is_refused_at_the_call() -> None:
    with pytest.raises(InvalidTurn, match="exceeds the limit"):
        edit("t", "x" * 100, max_bytes=50)
    for ask in (delete, rewind):
        with pytest.raises(InvalidIdentifier):
            ask("")


@pytest.mark.parametrize("change", [edit("t", "new", max_bytes=LIMIT), delete("t"), rewind("t")])
def test_a_change_comes_back_from_its_entry(change: Any) -> None:
    assert read_change(str(change.operation), change.body) == change


@given(body=st.binary(max_size=30) | st.sampled_from([b"[]", b"{}", b'{"turn_id": 3}', b'{"turn_id": "t"}', b"null"]))
def test_whatever_else_an_entry_holds_is_no_change(body: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_change(Operation.EDIT, body)
