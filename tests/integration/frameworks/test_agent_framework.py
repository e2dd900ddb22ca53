"""Microsoft Agent Framework: its own agents, with a scripted chat client in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conftest import LocalWorker
from support.needed import needed_package
from turnfold import AsyncTurnfold, InvalidInput, Turnfold

CONVERSATION = "conv-1"
QUESTION = "Which code word opens the vault door?"
BUDGET = 3_000


@pytest.fixture(autouse=True)
def agent_framework() -> Any:
    return needed_package("agent_framework")


@pytest.fixture
def history(client: AsyncTurnfold) -> Any:
    from turnfold.frameworks.agent_framework import TurnfoldHistoryProvider

    return TurnfoldHistoryProvider(client, budget_tokens=BUDGET)


@pytest.fixture
def make_agent(history: Any, seen: list[list[Any]]) -> Callable[..., Any]:
    """Makes an agent whose model gives these answers in turn."""
    from agent_framework import (
        Agent,
        BaseChatClient,
        ChatResponse,
        ChatResponseUpdate,
        FunctionInvocationLayer,
        Message,
        ResponseStream,
    )

    class Client(FunctionInvocationLayer, BaseChatClient):
        answers: Any

        def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
            seen.append(list(messages))
            contents = next(self.answers)

            async def respond() -> Any:
                return ChatResponse(messages=[Message("assistant", contents)])

            async def updates() -> Any:
                for content in contents:
                    yield ChatResponseUpdate(contents=[content], role="assistant")

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates) if stream else respond()

    def make(*answers: list[Any], **options: Any) -> Any:
        model = Client()
        model.answers = iter(answers)
        return Agent(client=model, context_providers=[history], **options)

    return make


async def test_the_model_is_given_the_context_and_what_was_said_is_appended(
    make_agent: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, local: LocalWorker
) -> None:
    from agent_framework import Content

    def look_up(word: str) -> str:
        """Look up where a thing is."""
        return f"{word} is in drawer 7"

    call = Content.from_function_call("a", "look_up", arguments='{"word": "vault"}')
    agent = make_agent(
        [call], [Content.from_text("Drawer 7.")], [Content.from_text("As I said.")],
        instructions="Be brief.", tools=[look_up],
    )  # fmt: skip
    session = agent.create_session(session_id=CONVERSATION)
    before = tf.status(CONVERSATION).stored
    first = await agent.run(QUESTION, session=session)
    local.settle()
    assert tf.status(CONVERSATION).stored == before + 4
    second = await agent.run("Where again?", session=session)
    local.settle()

    assert (first.text, second.text) == ("Drawer 7.", "As I said.")
    assert tf.status(CONVERSATION).stored == before + 6
    opening, _, last = seen
    assert "tangerine-41" in "\n".join(message.text for message in opening)
    assert opening[-1].text == QUESTION
    assert [message.role for message in last[-4:]] == ["assistant", "tool", "assistant", "user"]
    assert last[-4].contents[0].name == "look_up"
    assert last[-3].contents[0].result == "vault is in drawer 7"
    assert [message.text for message in last[-2:]] == ["Drawer 7.", "Where again?"]


async def test_a_streamed_answer_is_appended_too(make_agent: Callable[..., Any], tf: Turnfold) -> None:
    from agent_framework import Content

    agent = make_agent([Content.from_text("It is "), Content.from_text("drawer 7.")])
    stream = agent.run("Where?", session=agent.create_session(session_id="streamed"), stream=True)
    assert "".join([update.text async for update in stream]) == "It is drawer 7."
    await stream.get_final_response()
    assert "assistant: It is drawer 7." in tf.context("streamed", budget_tokens=BUDGET).text


async def test_messages_come_back_and_those_with_an_id_are_appended_once(history: Any) -> None:
    from agent_framework import Content, Message

    picture = Content.from_uri("https://example.org/a.png", media_type="image/png")
    said = [
        Message("user", ["What is this?", picture], message_id="m-1"),
        Message("assistant", [Content.from_text_reasoning(text="Hm."), "A cat."], message_id="m-2"),
    ]
    await history.save_messages("new", said)
    await history.save_messages("new", said)
    user, assistant = await history.get_messages("new")
    assert [(content.type, content.text or content.uri) for content in user.contents] == [
        ("text", "What is this?"), ("uri", "https://example.org/a.png"),
    ]  # fmt: skip
    assert assistant.text == "A cat."


async def test_an_agent_without_a_session_is_told_so(make_agent: Callable[..., Any]) -> None:
    agent = make_agent()
    with pytest.raises(InvalidInput, match=r"agent\.create_session"):
        await agent.context_providers[0].get_messages(None)
