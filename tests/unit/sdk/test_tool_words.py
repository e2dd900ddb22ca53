"""A tool's words are the tool's in whichever role a provider sends them, also where a read leaves the parts out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from turnfold.chat_history.identity import digest_of, role_of, stored_digest
from turnfold.contract.origins import holds_tool_words, turn_origin
from turnfold.contract.records import Origin, Role, StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.wire.decode import decode_turn
from turnfold.wire.encode import accept
from turnfold.wire.turn_edits import deleted, edited

RESULT = {"type": "tool_result", "tool_use_id": "k1", "content": "The ferry leaves at six."}
SECOND = {**RESULT, "tool_use_id": "k2"}
WORDS = {"type": "text", "text": "Is that the last one?"}
USE = {"type": "tool_use", "id": "k1", "name": "look", "input": {}}


def stored(**message: Any) -> StoredTurn:
    entry = accept({"turn_id": "t", **message}, max_bytes=1_000_000)
    return decode_turn(entry.body, seq=1, turn_id=entry.entry_id)


@pytest.mark.parametrize("content", [[RESULT], [RESULT, SECOND], [RESULT, WORDS], [WORDS, RESULT]])
@pytest.mark.parametrize("name", [None, "Mara"])
def test_a_result_in_a_users_message_has_the_tools_voice(content: list[dict[str, Any]], name: str | None) -> None:
    turn = stored(role="user", content=content, name=name)
    shortened = replace(turn, parts=None, without_parts=True)
    for one in (turn, shortened, deleted(turn), replace(turn)):
        assert (one.role, one.speaker, speaker_label(one)) == (Role.TOOL, "tool", "tool")
        assert turn_origin(one) is Origin.TOOL
        assert holds_tool_words(one)
    assert turn.sent_as == (Role.USER, name)
    assert turn.parts is not None
    assert turn.parts["content"] == content
    assert turn == StoredTurn(
        seq=1, turn_id="t", role=Role.USER, content=turn.content, name=name, parts={"content": content},
        tokens=turn.tokens,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ({"role": "user", "content": "tool_result"}, "user"),
        ({"role": "user", "content": [WORDS], "name": "Mara"}, "Mara"),
        ({"role": "user", "content": [{"type": "text", "text": '{"type": "tool_result"}'}]}, "user"),
        ({"role": "user", "content": [{"type": "image", "source": {"type": "tool_result"}}]}, "user"),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "k1", "name": "look", "input": {}}]},
            "assistant",
        ),
        ({"role": "tool", "tool_call_id": "k1", "content": "six", "name": "timetable"}, "timetable"),
    ],
)
def test_other_messages_are_their_senders(message: dict[str, Any], label: str) -> None:
    turn = stored(**message)
    assert speaker_label(turn) == label
    assert turn.sent_as == (Role(message["role"]), message.get("name"))
    assert "role" not in (turn.parts or {})


def test_an_edit_decides_anew_whose_words_a_message_has() -> None:
    result = stored(role="user", content=[RESULT], name="Mara")
    assert speaker_label(edited(result, "It leaves at seven.")) == "tool"
    spoken = edited(result, [WORDS])
    assert (spoken.role, spoken.name, spoken.parts) == (Role.USER, "Mara", {"content": [WORDS]})
    assert edited(spoken, [RESULT]) == result


@pytest.mark.parametrize("content", [[RESULT], [RESULT, WORDS]])
def test_a_message_with_a_result_is_recognized_when_it_is_sent_again(content: list[dict[str, Any]]) -> None:
    message = {"role": "user", "content": content, "name": "Mara"}
    turn = stored(**message)
    assert role_of(message) == str(turn.role)
    assert digest_of(message) == stored_digest(turn)
