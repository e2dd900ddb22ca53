"""The real client can call `/v1/responses/compact` with any provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from openai import OpenAI

from support.provider import Provider, Reply
from turnfold import Turnfold
from turnfold.tokens import estimate_tokens

MakeClient = Callable[..., OpenAI]


def talk(turns: int) -> list[Any]:
    items: list[Any] = []
    for number in range(turns):
        items.append({"role": "user", "content": f"Service {number} must listen on port {7000 + number}. Which rule?"})
        text = f"Rule {number} follows. " + "It was measured. " * 20
        content = [{"type": "output_text", "text": text, "annotations": []}]
        items.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        )
    return items


def test_the_users_messages_and_one_readable_item_stand_for_the_conversation(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client(X_Turnfold_Budget="2000")
    compacted = client.responses.compact(model="any-model", input=talk(20))
    assert (compacted.object, provider.sent) == ("response.compaction", [])
    *users, item = compacted.output
    assert item.type == "compaction"
    assert "port 70" in item.encrypted_content
    messages = [message.to_dict(warnings=False) for message in users]
    assert {message["role"] for message in messages} == {"user"}
    assert messages[-1]["content"][0]["text"].startswith("Service 19 must listen")
    assert compacted.usage.output_tokens <= 2000 < compacted.usage.input_tokens
    assert len(tf.turns("conv-1")) == 40


def test_a_compacted_conversation_goes_on_with_any_provider_and_nothing_is_doubled(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client(X_Turnfold_Budget="2000")
    compacted = client.responses.compact(model="any-model", input=talk(20))
    items: list[Any] = [item.to_dict(warnings=False) for item in compacted.output]
    for question in ("Which port has service 3?", "And service 4?"):
        items.append({"role": "user", "content": question})
        response = client.responses.create(model="any-model", input=items)
        items += [item.model_dump(exclude_none=True) for item in response.output]
        assert {item.get("type", "message") for item in provider.last.items} == {"message"}
        assert estimate_tokens(str(provider.last.items)) < 3000
        assert provider.last.items[-1]["content"] == question
    assert [turn.content for turn in tf.turns("conv-1")[40:]] == [
        "Which port has service 3?", "Noted.", "And service 4?", "Noted.",
    ]  # fmt: skip
    again = client.responses.compact(model="any-model", input=items)
    assert [item.type for item in again.output].count("compaction") == 1
    assert len(tf.turns("conv-1")) == 44


def test_without_a_conversation_the_provider_compacts(provider: Provider, raw: httpx.Client) -> None:
    provider.then(Reply(body=b'{"object": "response.compaction"}'))
    assert raw.post("/v1/responses/compact", json={"model": "m", "input": "x"}).json() == {
        "object": "response.compaction"
    }
    assert provider.last.path == "/v1/responses/compact"


@pytest.mark.parametrize("body", [b"no JSON", b'{"model": "m", "input": 3}'])
def test_what_cannot_be_read_is_left_to_the_provider(provider: Provider, raw: httpx.Client, body: bytes) -> None:
    provider.then(Reply(status=400, body=b"{}"))
    answered = raw.post("/v1/responses/compact", content=body, headers={"X-Turnfold-Conversation": "conv-1"})
    assert (answered.status_code, provider.last.body) == (400, body)
    assert answered.headers["x-turnfold-memory"] == "bypassed; reason=unreadable-request"


def test_a_compaction_of_ours_is_readable_though_memory_could_not_read_the_rest(
    provider: Provider, raw: httpx.Client
) -> None:
    own = {"type": "compaction", "id": "cmp_turnfold_1", "encrypted_content": "Port 7003 was agreed."}
    body = {"model": "m", "input": [own, {"type": "message", "role": "wizard", "content": "x"}]}
    raw.post("/v1/responses", json=body, headers={"X-Turnfold-Conversation": "conv-1"})
    assert provider.last.items[0] == {"type": "message", "role": "user", "content": "Port 7003 was agreed."}
