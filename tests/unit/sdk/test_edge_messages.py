"""Messages of providers and callers are accepted in all their forms and stored as turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import any_text, json_objects
from turnfold import Turn
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.contract.text import clean
from turnfold.tokens import estimate_tokens
from turnfold.wire.decode import decode_turn
from turnfold.wire.encode import accept, new_turn_id, with_turn_id

CALL = {"id": "call-1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}


def stored(turn: object) -> StoredTurn:
    """Return a turn as stored, after the edge and the inbox."""
    entry = accept(turn, max_bytes=1_048_576)
    return decode_turn(entry.body, seq=1, turn_id=entry.entry_id)


class ProviderObject:
    """The kind of object that provider clients return: one that dumps itself."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self, *, exclude_none: bool = False) -> dict[str, Any]:
        return {key: value for key, value in self._fields.items() if not (exclude_none and value is None)}


def test_a_plain_message_is_its_text_and_nothing_else() -> None:
    turn = stored({"role": "user", "content": "We must use PostgreSQL."})
    assert (turn.role, turn.content, turn.parts, turn.name, turn.metadata, turn.created_at) == (
        Role.USER, "We must use PostgreSQL.", None, None, None, None,
    )  # fmt: skip
    assert turn.importance is Importance.NORMAL
    assert turn.tokens == estimate_tokens(turn.content)


def test_a_turn_and_the_same_dict_are_stored_alike() -> None:
    created = datetime(2026, 3, 2, 9, 0, tzinfo=timezone(timedelta(hours=2)))
    fields: dict[str, Any] = {
        "role": "assistant", "content": "Checking.", "turn_id": "m-1", "name": "bot", "created_at": created,
        "importance": "high", "tool_calls": [CALL], "metadata": {"channel": "web"},
    }  # fmt: skip
    assert stored(Turn(**fields)) == stored(fields)
    assert stored(fields).created_at == datetime(2026, 3, 2, 7, 0, tzinfo=UTC)


def test_times_are_kept_to_the_microsecond_in_utc() -> None:
    turn = stored({"role": "user", "content": "Hi.", "created_at": "2026-03-02T09:00:00.123456+05:30"})
    assert turn.created_at == datetime(2026, 3, 2, 3, 30, 0, 123456, tzinfo=UTC)
    assert stored({"role": "user", "content": "Hi.", "created_at": "2026-03-02T09:00:00Z"}).created_at is not None


def test_openais_null_content_with_tool_calls_is_shown_as_the_calls_and_kept_whole() -> None:
    turn = stored({"role": "assistant", "content": None, "tool_calls": [CALL]})
    assert turn.content == '[call get_weather {"city":"Oslo"}]'
    assert turn.parts == {"tool_calls": [CALL]}


@pytest.mark.parametrize("said", ["", "Let me look."])
def test_what_was_said_beside_tool_calls_is_kept_apart_from_them(said: str) -> None:
    turn = stored({"role": "assistant", "content": said, "tool_calls": [CALL]})
    assert turn.content == f'{said}\n[call get_weather {{"city":"Oslo"}}]'.lstrip()
    assert turn.parts == {"tool_calls": [CALL], "content": said}


def test_openais_parts_with_image_audio_and_file_are_labelled_and_kept_in_order() -> None:
    parts = [
        {"type": "text", "text": "Compare these:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": "AAAA"}},
    ]
    turn = stored({"role": "user", "content": parts})
    assert turn.content == "Compare these:\n[image]\n[audio]\n[file plan.pdf]"
    assert turn.parts == {"content": parts}


def test_an_image_alone_is_a_turn() -> None:
    assert (
        stored({"role": "user", "content": [{"type": "image_url", "image_url": "https://x.test/a.png"}]}).content
        == "[image]"
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None, "refusal": "I can't help with that."}, "I can't help with that."),
        ({"content": [{"type": "refusal", "refusal": "I can't."}]}, "I can't."),
        ({"content": None, "audio": {"id": "a-1", "transcript": "Good morning."}}, "Good morning."),
        ({"content": None, "audio": {"id": "a-1"}}, "[audio]"),
        ({"content": None, "function_call": {"name": "now", "arguments": "{}"}}, "[call now {}]"),
    ],
)
def test_what_openais_assistant_says_outside_of_content_is_its_text(message: dict[str, Any], text: str) -> None:
    turn = stored({"role": "assistant", **message})
    assert turn.content == text
    assert turn.parts == {key: value for key, value in message.items() if value is not None}


def test_anthropics_blocks_are_labelled_and_kept_whole() -> None:
    blocks = [
        {"type": "thinking", "thinking": "The user wants …", "signature": "EqQB"},
        {"type": "redacted_thinking", "data": "EmwK"},
        {"type": "text", "text": "Let me check."},
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo", "days": 2}},
    ]
    turn = stored({"role": "assistant", "content": blocks})
    assert turn.content == "[reasoning]\n[reasoning]\nLet me check.\n[call get_weather city='Oslo', days=2]"
    assert turn.parts == {"content": blocks}


@pytest.mark.parametrize("content", ["4 degrees", [{"type": "text", "text": "4 degrees"}]])
def test_anthropics_tool_result_is_its_text(content: object) -> None:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, "is_error": False}
    turn = stored({"role": "user", "content": [block]})
    assert (turn.role, turn.content) == ("tool", "4 degrees")
    assert turn.parts == {"content": [block], "role": "user"}


def test_anthropics_image_and_document_are_labelled() -> None:
    turn = stored(
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                {"type": "document", "source": {"type": "url", "url": "https://x.test"}, "title": "Contract"},
            ],
        }
    )
    assert turn.content == "[image]\n[file Contract]"


def test_a_provider_clients_message_object_is_taken_as_it_is() -> None:
    message = ProviderObject(
        role="assistant", content=None, refusal=None, annotations=[], tool_calls=[ProviderObject(**CALL)]
    )
    turn = stored(message)
    assert turn.content == '[call get_weather {"city":"Oslo"}]'
    assert turn.parts == {"annotations": [], "tool_calls": [CALL]}


def test_a_clients_objects_inside_a_dict_are_taken_as_they_are() -> None:
    blocks = [
        ProviderObject(type="text", text="Let me check.", citations=None),
        ProviderObject(type="tool_use", id="toolu_1", name="now", input={}, caller=ProviderObject(type="direct")),
    ]
    turn = stored({"role": "assistant", "content": blocks})
    assert turn.content == "Let me check.\n[call now]"
    assert turn.parts == {
        "content": [
            {"type": "text", "text": "Let me check."},
            {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}, "caller": {"type": "direct"}},
        ]
    }


def test_fields_that_turnfold_does_not_know_are_kept() -> None:
    assert stored({"role": "user", "content": "Hi.", "cache_control": {"type": "ephemeral"}, "weight": None}).parts == {
        "cache_control": {"type": "ephemeral"}
    }


def test_nul_and_lone_surrogates_become_the_replacement_character_everywhere() -> None:
    bad, good = "a\x00b\ud800c", "a\ufffdb\ufffdc"
    parts = [{"type": "text", "text": bad, bad: [bad]}]
    turn = stored({"role": "user", "content": parts, "name": bad, "metadata": {bad: {bad: bad}}})
    assert turn.content == good
    assert turn.name == good
    assert turn.metadata == {good: {good: good}}
    assert turn.parts == {"content": [{"type": "text", "text": good, good: [good]}]}


def test_everything_else_in_a_text_stays_as_it_was_given() -> None:
    text = "\r\n tabs\tand \x01controls\x1f, \u2028 separators, e\u0301 combined, \U0001f468\u200d\U0001f469 joined  "
    assert stored({"role": "user", "content": text}).content == text


def test_white_space_in_a_name_is_evened_out() -> None:
    assert stored({"role": "user", "content": "Hi.", "name": " Ada \n Lovelace "}).name == "Ada Lovelace"
    assert stored({"role": "user", "content": "Hi.", "name": "  "}).name is None


def test_a_callers_id_is_kept_and_a_made_one_sorts_by_time() -> None:
    assert accept({"role": "user", "content": "Hi.", "turn_id": "m-17"}, max_bytes=10_000).entry_id == "m-17"
    made = [new_turn_id() for _ in range(200)]
    assert len(set(made)) == len(made)
    assert [one[:14] for one in made] == sorted(one[:14] for one in made)


@pytest.mark.parametrize(
    "turn",
    [
        {"role": "user", "content": "Hi."},
        Turn(role="user", content="Hi."),
        ProviderObject(role="user", content="Hi."),
    ],
)
def test_a_turn_whose_id_was_filled_in_is_the_same_turn(turn: Any) -> None:
    again = with_turn_id(turn, "m-1")
    assert accept(again, max_bytes=10_000).entry_id == "m-1"
    assert accept(again, max_bytes=10_000).body == accept(turn, max_bytes=10_000).body


@given(
    st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
    any_text.filter(lambda text: bool(clean(text).strip())),
    st.none() | json_objects(any_text),
)
def test_text_and_metadata_are_stored_as_given_but_for_what_no_database_takes(
    role: str, text: str, metadata: dict[str, Any] | None
) -> None:
    turn = stored({"role": role, "content": text, "metadata": metadata})
    assert turn.content == clean(text)
    assert turn.metadata == cleaned(metadata)


def cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    return {clean(key): cleaned(item) for key, item in value.items()} if isinstance(value, dict) else value


def test_a_function_message_of_before_there_were_tools_is_a_tools_result() -> None:
    entry = accept({"role": "function", "name": "get_weather", "content": "9 degrees"}, max_bytes=10_000)
    turn = decode_turn(entry.body, seq=1, turn_id="t")
    assert (turn.role, turn.name, turn.content) == (Role.TOOL, "get_weather", "9 degrees")
