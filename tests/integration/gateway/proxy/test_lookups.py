"""A model behind the proxy looks up what a block left out, and the caller does not notice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from support.provider import Provider, Reply
from support.waiting import wait_until
from turnfold import Turnfold

MakeClient = Callable[..., OpenAI]
OWN = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}
SEARCH = ("call_1", "turnfold_search", '{"query": "port of service 3"}')


@pytest.fixture
def folded(tf: Turnfold) -> list[dict[str, Any]]:
    """Return a question to a conversation that does not fit."""
    for number in range(30):
        tf.append("conv-1", [
            {"role": "user", "content": f"Service {number} must listen on port {7000 + number}."},
            {"role": "assistant", "content": "Understood. " + "It was measured. " * 30},
        ])  # fmt: skip
    tf.wait("conv-1", timeout_seconds=90)
    return [{"role": "user", "content": "Thanks."}]


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_of_ours_is_answered_and_only_the_last_answer_passes(
    provider: Provider, openai_client: MakeClient, tf: Turnfold, folded: list[dict[str, Any]], stream: bool
) -> None:
    client = openai_client(X_Turnfold_Tools="on", X_Turnfold_History="new", X_Turnfold_Budget="1500")
    provider.then(Reply(text="", calls=(SEARCH,)), Reply(text="Port 7003."))
    raw = client.chat.completions.with_raw_response.create(model="m", messages=folded, tools=[OWN], stream=stream)  # type: ignore[call-overload]
    if stream:
        text = "".join(chunk.choices[0].delta.content or "" for chunk in raw.parse())
    else:
        text = raw.parse().choices[0].message.content
    assert text == "Port 7003."
    assert raw.headers["x-turnfold-lookups"] == "1"
    names = [tool["function"]["name"] for tool in provider.sent[0].json["tools"]]
    assert names == ["search", "turnfold_expand", "turnfold_search", "turnfold_anchors"]
    call, looked_up = provider.last.items[-2:]
    assert call["tool_calls"][0]["function"]["name"] == "turnfold_search"
    assert (looked_up["role"], looked_up["tool_call_id"]) == ("tool", "call_1")
    assert "7003" in looked_up["content"]
    assert provider.last.items[:-2] == provider.sent[0].items
    # OpenAI's client stops reading at the last event, a moment before the stream ends.
    wait_until(lambda: tf.turns("conv-1")[-1].content == "Port 7003.")
    assert tf.turns("conv-1")[-2].content == "Thanks."


def test_a_call_of_the_callers_beside_ours_is_made_again_by_itself(
    provider: Provider, openai_client: MakeClient, folded: list[dict[str, Any]]
) -> None:
    client = openai_client(X_Turnfold_Tools="on", X_Turnfold_History="new", X_Turnfold_Budget="1500")
    theirs = ("call_2", "search", "{}")
    provider.then(Reply(text="", calls=(SEARCH, theirs)), Reply(text="", calls=(theirs,)))
    reply = client.chat.completions.create(model="m", messages=folded, tools=[OWN])  # type: ignore[call-overload]
    assert [call.function.name for call in reply.choices[0].message.tool_calls] == ["search"]
    assert provider.last.items[-1]["content"].startswith("Not done")


def test_a_model_that_only_looks_things_up_has_to_answer_in_the_end(
    provider: Provider, openai_client: MakeClient, folded: list[dict[str, Any]]
) -> None:
    client = openai_client(X_Turnfold_Tools="on", X_Turnfold_History="new", X_Turnfold_Budget="1500")
    provider.choose = lambda sent: (
        Reply(text="", calls=(SEARCH,)) if "tools" in sent.json else Reply(text="Port 7003, I think.")
    )
    reply = client.chat.completions.create(model="m", messages=folded)  # type: ignore[arg-type]
    assert reply.choices[0].message.content == "Port 7003, I think."
    assert len(provider.sent) == 5


def test_the_responses_api_is_answered_the_same(
    provider: Provider, openai_client: MakeClient, folded: list[dict[str, Any]]
) -> None:
    client = openai_client(X_Turnfold_Tools="on", X_Turnfold_History="new", X_Turnfold_Budget="1500")
    provider.then(Reply(text="", calls=(SEARCH,)), Reply(text="Port 7003."))
    assert client.responses.create(model="m", input=folded).output_text == "Port 7003."  # type: ignore[arg-type]
    assert provider.sent[0].json["tools"][0]["name"] == "turnfold_expand"
    call, looked_up = provider.last.items[-2:]
    assert (call["type"], looked_up["type"]) == ("function_call", "function_call_output")
    assert "7003" in looked_up["output"]


def test_tools_are_not_offered_where_the_caller_does_not_ask_or_forbids_calls(
    provider: Provider, openai_client: MakeClient, folded: list[dict[str, Any]]
) -> None:
    new = {"X_Turnfold_History": "new", "X_Turnfold_Budget": "1500"}
    openai_client(**new).chat.completions.create(model="m", messages=folded)  # type: ignore[arg-type]
    assert "tools" not in provider.last.json
    client = openai_client(**new, X_Turnfold_Tools="on")
    client.chat.completions.create(model="m", messages=folded, tools=[OWN], tool_choice="none")  # type: ignore[call-overload]
    assert json.dumps(provider.last.json["tools"]) == json.dumps([OWN])
