"""Through the proxy, the real OpenAI client sends its whole history, and the provider gets it within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI, OpenAI

from support.gateway import Gateway
from support.provider import Provider, Reply, Sent
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.assemble import messages_tokens
from turnfold.tokens import estimate_tokens

MakeClient = Callable[..., OpenAI]

SYSTEM = {"role": "system", "content": "You are a careful architect."}


def said(tf: Turnfold, conversation: str = "conv-1") -> list[tuple[str, str]]:
    return [(str(turn.role), turn.content) for turn in tf.turns(conversation)]


def long_answer(sent: Sent) -> Reply:
    number = len(sent.items)
    return Reply(text=f"Answer {number}: service {number} listens on port {7000 + number}. " + "It was measured. " * 40)


def talk(client: OpenAI, history: list[dict[str, Any]], questions: range) -> None:
    """Ask questions and keep the answers, as an application without any notion of memory does."""
    for number in questions:
        history.append({"role": "user", "content": f"Question {number}: which port has service {number}?"})
        reply = client.chat.completions.create(model="m", messages=history)  # type: ignore[call-overload]
        history.append(reply.choices[0].message.model_dump(exclude_none=True))


def test_each_turn_is_appended_once_though_the_history_comes_whole_each_time(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    history: list[dict[str, Any]] = [SYSTEM]
    provider.then(Reply(text="First."), Reply(text="Second."))
    talk(openai_client(), history, range(2))
    assert said(tf) == [(message["role"], message["content"]) for message in history[1:]]


def test_a_short_history_is_forwarded_byte_for_byte(provider: Provider, openai_client: MakeClient) -> None:
    client = openai_client()
    raw = client.chat.completions.with_raw_response.create(
        model="m", messages=[SYSTEM, {"role": "user", "content": "Grüße"}], temperature=0.5
    )  # type: ignore[call-overload]
    assert raw.headers["x-turnfold-memory"] == "on"
    assert provider.last.body == raw.http_request.content
    assert provider.last.headers["authorization"] == "Bearer sk-of-the-provider"
    assert not [name for name in provider.last.headers if name.startswith("x-turnfold")]


def test_a_long_history_is_forwarded_inside_the_budget_behind_a_block_that_stays(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    provider.choose = long_answer
    client = openai_client(X_Turnfold_Budget="3000")
    history: list[dict[str, Any]] = [SYSTEM]
    talk(client, history, range(20))
    tf.wait("conv-1", timeout_seconds=90)
    went_on = 0
    for number in range(20, 28):
        before = provider.last.items
        talk(client, history, range(number, number + 1))
        system, block, *raw = provider.last.items
        if raw[-2]["content"].startswith("[memory "):
            del raw[-2]
        assert system == SYSTEM
        assert block["role"] == "user"
        assert block["content"].startswith("[memory ")
        # Turns that the block does not cover stay as the caller sent them.
        assert raw == history[-1 - len(raw) : -1]
        assert messages_tokens(provider.last.items, estimate_tokens) <= 3000
        went_on += provider.last.items[: len(before) - 2] == before[:-2]
    # Unless there is a new block, the request starts with the previous one, up to the passages for its question.
    assert went_on >= 5
    assert [turn.content for turn in tf.turns("conv-1")] == [message["content"] for message in history[1:]]


def test_a_stream_comes_as_the_provider_sent_it_and_its_answer_is_kept(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    provider.then(Reply(text="Grüße aus Köln.", piece_bytes=5))
    stream = openai_client().chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Hello?"}], stream=True
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == "Grüße aus Köln."
    # The answer is stored after the end of the stream, for which the caller does not wait.
    wait_until(lambda: said(tf) == [("user", "Hello?"), ("assistant", "Grüße aus Köln.")])


CALL = ("call_1", "look_up", '{"service": 3}')


@pytest.mark.parametrize("stream", [False, True])
def test_an_agents_calls_and_their_results_are_turns(
    provider: Provider, openai_client: MakeClient, tf: Turnfold, stream: bool
) -> None:
    tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
    client = openai_client()
    history: list[dict[str, Any]] = [{"role": "user", "content": "Which port?"}]
    provider.then(Reply(text="", calls=(CALL,)), Reply(text="7003."))
    reply = client.chat.completions.create(model="m", messages=history, tools=[tool], stream=stream)  # type: ignore[call-overload]
    if stream:
        list(reply)
    call = {"id": CALL[0], "type": "function", "function": {"name": CALL[1], "arguments": CALL[2]}}
    history += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": CALL[0], "content": "port 7003"},
    ]
    client.chat.completions.create(model="m", messages=history, tools=[tool])  # type: ignore[call-overload]
    turns = tf.turns("conv-1")
    assert [str(turn.role) for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[1].parts == {"tool_calls": [call]}
    assert turns[2].parts == {"tool_call_id": "call_1"}
    assert provider.last.json["tools"] == [tool]


def test_an_answer_that_is_made_again_takes_the_place_of_the_first(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client()
    question = [{"role": "user", "content": "Which port?"}]
    provider.then(Reply(text="One."), Reply(text="Two."))
    for _ in range(2):
        client.chat.completions.create(model="m", messages=question)  # type: ignore[call-overload]
    assert said(tf) == [("user", "Which port?"), ("assistant", "Two.")]


def test_a_question_that_was_edited_takes_the_place_of_what_followed(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client()
    history: list[dict[str, Any]] = []
    talk(client, history, range(3))
    edited = [*history[:2], {"role": "user", "content": "Which host, rather?"}]
    client.chat.completions.create(model="m", messages=edited)  # type: ignore[call-overload]
    assert said(tf) == [
        *((message["role"], message["content"]) for message in edited), ("assistant", "Noted."),
    ]  # fmt: skip


def test_a_caller_that_sends_a_window_gets_the_rest_from_memory(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client()
    history: list[dict[str, Any]] = []
    talk(client, history, range(5))
    history.append({"role": "user", "content": "And the first one again?"})
    client.chat.completions.create(model="m", messages=history[-3:])  # type: ignore[call-overload]
    assert len(said(tf)) == 12
    assert provider.last.items == history


def test_a_caller_that_sends_new_messages_alone_needs_no_history_of_its_own(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    client = openai_client(X_Turnfold_History="new")
    for text in ("yes", "no", "yes"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    assert [content for role, content in said(tf) if role == "user"] == ["yes", "no", "yes"]
    assert [item["content"] for item in provider.last.items] == ["yes", "Noted.", "no", "Noted.", "yes"]


def test_images_and_parts_that_nobody_knows_pass_through(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "hologram", "depth": 3},
    ]
    openai_client().chat.completions.create(model="m", messages=[{"role": "user", "content": content}])  # type: ignore[list-item, misc]
    assert provider.last.items[0]["content"] == content
    (turn, _) = tf.turns("conv-1")
    assert turn.content == "What is this?\n[image]\n[hologram]"


async def test_the_asynchronous_client_is_answered_the_same(
    proxy: Gateway, provider: Provider, key: str, tf: Turnfold
) -> None:
    headers = {"X-Turnfold-Key": key, "X-Turnfold-Conversation": "conv-1"}
    async with AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="sk", default_headers=headers) as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hello?"}], stream=True
        )
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    assert text == "Noted."
    assert said(tf) == [("user", "Hello?"), ("assistant", "Noted.")]


def test_a_budget_that_not_even_the_newest_words_fit_in_says_what_is_needed(
    provider: Provider, openai_client: MakeClient
) -> None:
    system = {"role": "system", "content": "Be careful. " * 400}
    with pytest.raises(Exception, match="give at least") as caught:
        openai_client(X_Turnfold_Budget="500").chat.completions.create(
            model="m", messages=[system, {"role": "user", "content": "Hello?"}]
        )  # type: ignore[call-overload]
    assert getattr(caught.value, "status_code", None) == 422
    assert provider.sent == []


@pytest.mark.parametrize("extra", [-300, 0, 1, 5])
@pytest.mark.parametrize("asked", ["Hello?", "The crane lifts ten tonnes. " * 400], ids=["short", "long"])
def test_the_budget_that_is_named_works_but_none_below(
    raw: httpx.Client, provider: Provider, asked: str, extra: int
) -> None:
    system = {"role": "system", "content": "Be careful. " * 900}

    def ask(budget: int) -> httpx.Response:
        headers = {"X-Turnfold-Conversation": "conv-1", "X-Turnfold-Budget": str(budget)}
        body = {"model": "m", "messages": [system, {"role": "user", "content": asked}]}
        return raw.post("/v1/chat/completions", json=body, headers=headers)

    system_tokens = messages_tokens([system], estimate_tokens)
    refused = ask(system_tokens + extra)
    needed = refused.json()["needed_tokens"]
    assert refused.status_code == 422
    assert system_tokens < needed < system_tokens + 500
    assert str(needed) in refused.json()["remedy"]
    assert ask(needed - 1).json()["needed_tokens"] == needed
    assert provider.sent == []
    assert ask(needed).status_code == 200
    assert messages_tokens(provider.last.items, estimate_tokens) <= needed


def test_a_message_larger_than_the_budget_is_shown_by_its_ends(
    provider: Provider, openai_client: MakeClient, tf: Turnfold
) -> None:
    pasted = "The log begins. " + "INFO nothing happened. " * 4_000 + "The log ends with error 42."
    raw = openai_client(X_Turnfold_Budget="2000").chat.completions.with_raw_response.create(
        model="m", messages=[SYSTEM, {"role": "user", "content": pasted}]
    )  # type: ignore[call-overload]
    assert int(raw.headers["x-turnfold-tokens"]) <= 2000
    assert messages_tokens(provider.last.items, estimate_tokens) <= 2000
    assert "error 42" in provider.last.items[-1]["content"]
    assert tf.turns("conv-1")[0].content == pasted
