"""The Responses API through the proxy, with the real client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from support.provider import Provider, Reply, Sent
from turnfold import Turnfold
from turnfold.tokens import estimate_tokens

MakeClient = Callable[..., OpenAI]


def said(tf: Turnfold) -> list[tuple[str, str]]:
    return [(str(turn.role), turn.content) for turn in tf.turns("conv-1")]


def test_text_alone_and_its_answer_are_turns(provider: Provider, openai_client: MakeClient, tf: Turnfold) -> None:
    provider.then(Reply(text="Port 7003."))
    response = openai_client().responses.create(model="m", input="Which port?", instructions="Be brief.")
    assert response.output_text == "Port 7003."
    assert provider.last.json["input"] == "Which port?"
    assert said(tf) == [("user", "Which port?"), ("assistant", "Port 7003.")]


def test_a_stream_of_events_is_collected_and_an_agents_items_are_turns(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client()
    items: list[Any] = [{"role": "user", "content": "Which ports?"}]
    provider.then(Reply(calls=(("call_1", "look", '{"at": 3}'), ("call_2", "look", '{"at": 4}'))), Reply(text="Both."))
    for event in client.responses.create(model="m", input=items, stream=True):
        if event.type == "response.completed":
            items += [item.model_dump(exclude_none=True) for item in event.response.output]
    items += [{"type": "function_call_output", "call_id": f"call_{n}", "output": f"port {n}"} for n in (1, 2)]
    client.responses.create(model="m", input=items)
    turns = tf.turns("conv-1")
    assert [str(turn.role) for turn in turns] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [call["id"] for call in (turns[1].parts or {})["tool_calls"]] == ["call_1", "call_2"]
    assert provider.last.json["input"] == items


@pytest.mark.long
def test_a_long_history_is_folded_and_the_items_behind_the_block_are_the_callers(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    def answer(sent: Sent) -> Reply:
        return Reply(text=f"Service {len(sent.items)} has port {7000 + len(sent.items)}. " + "It was measured. " * 30)

    provider.choose = answer
    client = openai_client(X_Turnfold_Budget="2000")
    items: list[Any] = []
    for number in range(24):
        items.append({"role": "user", "content": f"Question {number}: which port?"})
        response = client.responses.create(model="m", input=items, instructions="Be brief.")
        items += [item.model_dump(exclude_none=True) for item in response.output]
    block, *rest = provider.last.items
    assert block["role"] == "user"
    assert str(block["content"]).startswith("[memory ")
    # Everything except the passages for the question.
    own = [item for item in rest if not str(item["content"]).startswith("[memory ")]
    assert own == items[-1 - len(own) : -1]
    assert len(own) > 2
    assert provider.last.json["instructions"] == "Be brief."
    assert estimate_tokens(str(provider.last.items)) < 3000
    assert len(said(tf)) == 48


def test_a_history_that_the_provider_keeps_is_recorded_and_not_replaced(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client()
    client.responses.create(model="m", input="One?")
    client.responses.create(model="m", input="Two?", previous_response_id="resp_1")
    assert provider.last.json == {"model": "m", "input": "Two?", "previous_response_id": "resp_1"}
    assert said(tf) == [("user", "One?"), ("assistant", "Noted."), ("user", "Two?"), ("assistant", "Noted.")]
