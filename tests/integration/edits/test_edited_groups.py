"""When a turn of a tool group is edited or deleted, the provider still accepts the rest of the group."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import LocalWorker
from turnfold import Turnfold

CALL = {"id": "k1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
GROUP = [
    {"role": "user", "content": "Run it.", "turn_id": "u"},
    {"role": "assistant", "content": "On it.", "tool_calls": [CALL, {**CALL, "id": "k2"}], "turn_id": "call"},
    {"role": "tool", "tool_call_id": "k1", "content": "one failed", "turn_id": "r1"},
    {"role": "tool", "tool_call_id": "k2", "content": "two passed", "turn_id": "r2"},
    {"role": "assistant", "content": "Done.", "turn_id": "done"},
]  # fmt: skip


def assert_a_provider_accepts(messages: list[dict[str, Any]]) -> None:
    """Check that each result answers a call right before it and that each call has all its results."""
    open_ids: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_ids
            open_ids.remove(message["tool_call_id"])
            continue
        assert not open_ids
        assert message.get("content") or message.get("tool_calls")
        open_ids = {call["id"] for call in message.get("tool_calls") or ()}
    assert not open_ids


@pytest.mark.parametrize("gone", [("call",), ("r1",), ("r2",), ("r1", "r2"), ("call", "r1", "r2"), ("done",), ("u",)])
@pytest.mark.parametrize("is_drained", [False, True])
def test_what_is_left_of_a_tool_group_is_what_a_provider_accepts(
    tf: Turnfold, local: LocalWorker, gone: tuple[str, ...], *, is_drained: bool
) -> None:
    tf.append("c", GROUP)
    if is_drained:
        local.settle()
    for one in gone:
        tf.delete("c", one)
    if is_drained:
        local.settle()
    context = tf.context("c", budget_tokens=1_000)
    messages = context.messages("openai")
    assert_a_provider_accepts(messages)
    left = [turn for turn in GROUP if turn["turn_id"] not in gone]
    for turn in left:
        assert str(turn["content"]) in str(messages)
    assert "[deleted]" not in context.text
    request = context.request("anthropic")
    assert [one["role"] for one in request["messages"]][:1] in ([], ["user"])


def test_an_edit_leaves_calls_and_results_where_they_are(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", GROUP)
    tf.edit("c", "call", content="Running both.")
    tf.edit("c", "r1", content="one passed after all")
    before = tf.context("c", budget_tokens=1_000).messages("openai")
    local.settle()
    after = tf.context("c", budget_tokens=1_000).messages("openai")
    assert before == after
    assert_a_provider_accepts(after)
    assert [(one["role"], one["content"]) for one in after[1:3]] == [
        ("assistant", "Running both."), ("tool", "one passed after all")
    ]  # fmt: skip
    assert len(after[1]["tool_calls"]) == 2
