"""Requests of both forms, `chat` and `responses`, are read as turns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.chat_history.caller_turns import (
    OWN_COMPACTION,
    Api,
    UnreadableRequest,
    items_of_messages,
    messages_of_items,
    read_history,
)
from turnfold.chat_history.keeper import HistoryKeeper
from turnfold.chat_history.storable import storable

CALLS = [
    {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}} for number in (1, 2)
]
MESSAGE = st.one_of(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["user", "assistant"]), st.text()),
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "developer"]), st.text()),
    st.just({"role": "assistant", "content": None, "tool_calls": CALLS}),
    st.just({"role": "tool", "tool_call_id": "call_1", "content": "one"}),
)


@examples(150)
@given(st.lists(MESSAGE, max_size=10))
def test_every_item_of_a_chat_is_an_operators_or_a_turns_or_says_nothing(messages: list[dict[str, Any]]) -> None:
    history = read_history({"messages": messages}, "chat")
    assert list(history.items) == messages
    ends = [0, *(turn.end for turn in history.turns)]
    assert all(begin <= turn.first < turn.end for begin, turn in zip(ends, history.turns, strict=False))
    assert [turn.message for turn in history.turns] == [messages[turn.end - 1] for turn in history.turns]
    assert {messages[place]["role"] for place in history.operators} <= {"system", "developer"}


@examples(150)
@given(st.lists(MESSAGE.filter(lambda message: message["role"] not in {"system", "developer"}), max_size=10))
def test_messages_survive_being_items(messages: list[dict[str, Any]]) -> None:
    spoken = [message for message in messages if message.get("tool_calls") or str(message["content"]).strip()]
    again = messages_of_items(items_of_messages(spoken))
    calls = sum(len(message.get("tool_calls") or ()) for message in again)
    assert calls == sum(len(message.get("tool_calls") or ()) for message in spoken)
    assert [m for m in again if not m.get("tool_calls")] == [m for m in spoken if not m.get("tool_calls")]


def test_calls_made_at_once_and_the_reasoning_before_them_are_one_turn() -> None:
    items = [
        {"role": "user", "content": "Both?"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "call_2", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    ]
    history = read_history({"input": items}, "responses")
    assert [(turn.message["role"], turn.first, turn.end) for turn in history.turns] == [
        ("user", 0, 1), ("assistant", 1, 4), ("tool", 4, 5), ("assistant", 5, 6),
    ]  # fmt: skip
    assert history.turns[1].message["tool_calls"] == CALLS


def test_text_alone_is_one_message_of_the_users() -> None:
    assert read_history({"input": "Hello."}, "responses").turns[0].message == {"role": "user", "content": "Hello."}


def test_our_own_compaction_is_readable_and_another_one_is_passed_on() -> None:
    own = {"type": "compaction", "id": f"{OWN_COMPACTION}1", "encrypted_content": "Port 5432 was agreed."}
    foreign = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"}
    history = read_history({"input": [own, foreign]}, "responses")
    assert history.items[0] == {"type": "message", "role": "user", "content": "Port 5432 was agreed."}
    assert history.items[1] == foreign


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat", {}),
        ("chat", {"messages": "Hello."}),
        ("chat", {"messages": ["Hello."]}),
        ("chat", {"messages": [{"role": "wizard", "content": "x"}]}),
        ("responses", {"input": 3}),
        ("responses", {"input": [{"type": "message", "role": "wizard", "content": "x"}]}),
    ],
)
def test_what_no_provider_takes_is_named(api: Api, body: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRequest, match=r"messages|input"):
        read_history(body, api)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    ["role", "content", "type", "tool_calls", "tool_call_id", "name", "call_id", "id", "output", "refusal", "function"]
)
KNOWN = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "system",
        "message",
        "function_call",
        "function_call_output",
        "compaction",
        "reasoning",
    ]
)
ITEMS = st.lists(st.dictionaries(KEYS, KNOWN | JSON, max_size=6) | JSON, max_size=4)


@examples(400)
@given(ITEMS, st.sampled_from(["chat", "responses"]))
async def test_any_body_is_read_and_priced_or_said_to_be_unreadable(items: list[Any], api: Api) -> None:
    try:
        read = await HistoryKeeper().read({"messages": items, "input": items}, api)
    except UnreadableRequest:
        return
    assert read.priced.tokens >= 0
    assert len(read.digests) == len(read.history.turns)
    for turn in read.history.turns:
        stored = storable(turn.message, max_bytes=20_000)
        assert len(json.dumps(stored, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= 20_000


@examples(100)
@given(st.text(max_size=60_000), st.integers(0, 3))
def test_what_is_stored_of_a_message_fits_and_a_short_one_is_stored_whole(text: str, calls: int) -> None:
    message = {"role": "assistant", "content": text, "tool_calls": CALLS * calls, "reasoning_content": "x" * 50_000}
    stored = storable(message, max_bytes=20_000)
    assert len(json.dumps(stored, ensure_ascii=False).encode()) <= 20_000
    assert "reasoning_content" not in stored
    if len(text) < 2_000:
        assert stored["content"] == text
