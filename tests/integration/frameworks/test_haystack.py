"""Haystack: its own pipelines and agents, with its scripted mock chat generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conftest import LocalWorker
from support.needed import needed_package
from turnfold import InvalidInput, Settings, Turnfold

CONVERSATION = "conv-1"
QUESTION = "Which code word opens the vault door?"
BUDGET = 3_000


@pytest.fixture(autouse=True)
def haystack(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    return needed_package("haystack")


@pytest.fixture
def make_pipeline(tf: Turnfold, seen: list[list[Any]]) -> Callable[..., Any]:
    """Makes a pipeline around an agent whose model gives these answers in turn."""
    from haystack import Pipeline
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import MockChatGenerator

    from turnfold.frameworks.haystack import TurnfoldRetriever, TurnfoldWriter

    def make(*answers: Any, **options: Any) -> Any:
        script = iter(answers)

        def answer(messages: list[Any]) -> Any:
            seen.append(list(messages))
            return next(script)

        pipeline = Pipeline()
        pipeline.add_component("recall", TurnfoldRetriever(tf, budget_tokens=BUDGET))
        pipeline.add_component("agent", Agent(chat_generator=MockChatGenerator(response_fn=answer), **options))
        pipeline.add_component("keep", TurnfoldWriter(tf))
        pipeline.connect("recall.messages", "agent.messages")
        pipeline.connect("agent.messages", "keep.messages")
        return pipeline

    return make


def asked(question: str, conversation: str = CONVERSATION) -> dict[str, Any]:
    from haystack.dataclasses import ChatMessage

    return {
        "recall": {"conversation_id": conversation, "messages": [ChatMessage.from_user(question)]},
        "keep": {"conversation_id": conversation},
    }


def test_an_agents_model_is_given_the_context_and_what_was_said_is_appended_once(
    make_pipeline: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, local: LocalWorker
) -> None:
    from haystack.dataclasses import ChatMessage, ToolCall
    from haystack.tools import tool

    @tool
    def look_up(word: str) -> str:
        """Look up where a thing is."""
        return f"{word} is in drawer 7"

    call = ChatMessage.from_assistant(tool_calls=[ToolCall("look_up", {"word": "vault"}, id="a")])
    pipeline = make_pipeline(call, "Drawer 7.", "As I said.", tools=[look_up], system_prompt="Be brief.")
    before = tf.status(CONVERSATION).stored
    first = pipeline.run(asked(QUESTION))
    local.settle()
    # The retriever writes the question; the writer the call, its result and the answer.
    assert first["keep"] == {"messages_written": 3}
    assert tf.status(CONVERSATION).stored == before + 4
    second = pipeline.run(asked("Where again?"))
    local.settle()

    assert second["keep"] == {"messages_written": 1}
    assert tf.status(CONVERSATION).stored == before + 6
    opening, _, last = seen
    assert opening[0].text == "Be brief."
    assert "tangerine-41" in "\n".join(message.text or "" for message in opening)
    assert opening[-1].text == QUESTION
    assert [message.role.value for message in last[-4:]] == ["assistant", "tool", "assistant", "user"]
    assert last[-4].tool_calls == [ToolCall("look_up", {"word": "vault"}, id="a")]
    assert last[-3].tool_call_result.result == "vault is in drawer 7"
    assert [message.text for message in last[-2:]] == ["Drawer 7.", "Where again?"]


async def test_it_is_awaited_too(make_pipeline: Callable[..., Any], tf: Turnfold) -> None:
    pipeline = make_pipeline("It is drawer 7.")
    await pipeline.run_async(asked("Where?", "awaited"))
    text = tf.context("awaited", budget_tokens=BUDGET).text
    assert "user: Where?" in text
    assert "assistant: It is drawer 7." in text


def test_messages_come_back_and_those_with_an_id_are_appended_once(tf: Turnfold) -> None:
    from haystack.dataclasses import ChatMessage, ImageContent

    from turnfold.frameworks.haystack import TurnfoldRetriever

    picture = ImageContent("iVBORw0KGgo=", "image/png", validation=False)
    question = ChatMessage.from_user(content_parts=["What is this?", picture], meta={"turn_id": "m-1"}, name="Ana")
    recall = TurnfoldRetriever(tf, budget_tokens=BUDGET)
    recall.run("new", [question])
    (user,) = recall.run("new", [question])["messages"]
    assert (user.text, user.images[0].base64_image) == ("What is this?", "iVBORw0KGgo=")


def test_a_pipeline_is_written_to_a_file_and_read_again(
    make_pipeline: Callable[..., Any], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from haystack import Pipeline
    from haystack.dataclasses import ChatMessage

    from turnfold.frameworks.haystack import TurnfoldRetriever

    for variable, value in (("REDIS_URL", settings.redis_url), ("DATABASE_URL", settings.database_url)):
        monkeypatch.setenv(f"TURNFOLD_{variable}", value)
    written = Pipeline()
    written.add_component("recall", TurnfoldRetriever(budget_tokens=BUDGET, policy="recency"))
    read = Pipeline.loads(written.dumps(), allowed_modules=["turnfold.frameworks.*"])
    recalled = read.run({"recall": {"conversation_id": "file", "messages": [ChatMessage.from_user("Hello.")]}})
    assert "policy: recency" in written.dumps()
    assert [message.text for message in recalled["recall"]["messages"]] == ["Hello."]


def test_a_client_of_the_other_kind_is_refused_at_once(settings: Settings) -> None:
    from turnfold import AsyncTurnfold
    from turnfold.frameworks.haystack import TurnfoldRetriever

    other: Any = AsyncTurnfold(settings=settings)
    with pytest.raises(InvalidInput, match="needs Turnfold, not AsyncTurnfold"):
        TurnfoldRetriever(other, budget_tokens=BUDGET)
