"""Pydantic AI: its own agents, with a scripted model in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import LocalWorker
from support.needed import needed_package
from turnfold import AsyncTurnfold, InvalidInput, Turnfold

CONVERSATION = "conv-1"
QUESTION = "Which code word opens the vault door?"
BUDGET = 3_000


@pytest.fixture(autouse=True)
def pydantic_ai() -> Any:
    return needed_package("pydantic_ai")


@pytest.fixture
def make_agent(client: AsyncTurnfold, seen: list[list[Any]]) -> Callable[..., Any]:
    """Makes an agent whose model gives these answers in turn."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models.function import FunctionModel

    from turnfold.frameworks.pydantic_ai import TurnfoldMemory

    def make(*answers: list[Any], **options: Any) -> Any:
        script: Iterator[list[Any]] = iter(answers)

        def answer(messages: list[Any], info: Any) -> Any:
            seen.append(messages)
            return ModelResponse(parts=next(script))

        async def stream(messages: list[Any], info: Any) -> Any:
            seen.append(messages)
            for part in next(script):
                yield part.content

        memory = TurnfoldMemory(client, budget_tokens=BUDGET)
        return Agent(FunctionModel(answer, stream_function=stream), capabilities=[memory], **options)

    return make


def text_of(messages: list[Any]) -> str:
    return "\n".join(str(getattr(part, "content", "")) for message in messages for part in message.parts)


async def test_the_model_is_given_the_context_and_what_was_said_is_appended_once(
    make_agent: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, local: LocalWorker
) -> None:
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    calls = [
        ThinkingPart("I look it up.", signature="s-1", provider_name="function"),
        ToolCallPart("look_up", {"word": "vault"}, "a"),
        ToolCallPart("look_up", {"word": "key"}, "b"),
    ]
    agent = make_agent(calls, [TextPart("Drawer 7.")], [TextPart("As I said.")], system_prompt="Be brief.")

    @agent.tool_plain
    def look_up(word: str) -> str:
        return f"{word} is in drawer 7"

    before = tf.status(CONVERSATION).stored
    first = await agent.run(QUESTION, conversation_id=CONVERSATION)
    local.settle()
    # The question, both calls as one turn, two results, and the answer.
    assert tf.status(CONVERSATION).stored == before + 5
    second = await agent.run("Where again?", conversation_id=CONVERSATION)
    local.settle()

    assert (first.output, second.output) == ("Drawer 7.", "As I said.")
    assert tf.status(CONVERSATION).stored == before + 7
    opening, looping, last = seen
    assert opening[0].parts[0].content.startswith("Be brief.")
    assert "tangerine-41" in text_of(opening)
    assert opening[-1].parts[-1].content == QUESTION
    # The provider's signature returns unchanged.
    assert [type(part).__name__ for part in looping[-2].parts] == ["ThinkingPart", "ToolCallPart", "ToolCallPart"]
    assert [(part.tool_name, part.content) for part in looping[-1].parts] == [
        ("look_up", "vault is in drawer 7"), ("look_up", "key is in drawer 7"),
    ]  # fmt: skip
    assert [part.tool_name for part in last[-3].parts] == ["look_up", "look_up"]
    assert [text_of([message]) for message in last[-2:]] == ["Drawer 7.", "Where again?"]


async def test_a_history_that_is_handed_on_is_appended_once(
    make_agent: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, client: AsyncTurnfold
) -> None:
    from pydantic_ai.messages import TextPart

    from turnfold.frameworks.pydantic_ai import TurnfoldMemory

    agent = make_agent([TextPart("One.")], [TextPart("Two.")], [TextPart("Three.")])
    first = await agent.run("First.", conversation_id="new")
    second = await agent.run("Second.", message_history=first.all_messages(), conversation_id="new")
    # Simulate another process, which does not know which turns were appended.
    await TurnfoldMemory(client, budget_tokens=BUDGET)._append("new", second.all_messages())
    text = tf.context("new", budget_tokens=BUDGET).text
    assert [text.count(word) for word in ("First.", "One.", "Second.", "Two.")] == [1, 1, 1, 1]
    assert len(second.all_messages()) == 4


async def test_a_streamed_answer_is_appended_too(make_agent: Callable[..., Any], tf: Turnfold) -> None:
    from pydantic_ai.messages import TextPart

    agent = make_agent([TextPart("It is "), TextPart("drawer 7.")])
    async with agent.run_stream("Where?", conversation_id="streamed") as run:
        assert await run.get_output() == "It is drawer 7."
    assert "assistant: It is drawer 7." in tf.context("streamed", budget_tokens=BUDGET).text


async def test_pictures_come_back_and_what_the_framework_asks_for_again_stands_at_the_end(
    make_agent: Callable[..., Any], seen: list[list[Any]]
) -> None:
    from pydantic_ai import BinaryContent, ImageUrl, ModelRetry
    from pydantic_ai.messages import TextPart

    agent = make_agent([TextPart("A cat?")], [TextPart("A dog.")])

    @agent.output_validator
    def no_question(output: str) -> str:
        if "?" in output:
            message = "Answer without a question mark."
            raise ModelRetry(message)
        return output

    pixel = BinaryContent.from_data_uri("data:image/png;base64,iVBORw0KGgo=")
    run = await agent.run(["What is this?", ImageUrl("https://example.org/a.png"), pixel], conversation_id="pictures")
    assert run.output == "A dog."
    assert seen[0][-1].parts[-1].content == ["What is this?", ImageUrl("https://example.org/a.png"), pixel]
    assert "A cat?" in text_of(seen[1])
    assert "Answer without a question mark." in text_of(seen[1][-1:])


def test_a_client_of_the_other_kind_is_refused_at_once(tf: Turnfold) -> None:
    from turnfold.frameworks.pydantic_ai import TurnfoldMemory

    synchronous: Any = tf
    with pytest.raises(InvalidInput, match="needs AsyncTurnfold"):
        TurnfoldMemory(synchronous, budget_tokens=BUDGET)
