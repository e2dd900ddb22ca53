"""Google's Agent Development Kit: its own runner, with a scripted model in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import LocalWorker
from support.adk_folder import ADK_FOLDER, google_adk
from support.needed import skip_or_fail
from support.talk import talk_with
from turnfold import AsyncTurnfold, Turnfold
from turnfold.contract.keys import checked_id

CONVERSATION = "shop/ana/conv-1"
FACT = "The vault door opens with the code word tangerine-41."
QUESTION = "Which code word opens the vault door?"
BUDGET = 3_000


@pytest.fixture(scope="module", autouse=True)
def kit() -> Iterator[None]:
    """The kit's folder on this process's path. Skips without it, but fails where CI is set."""
    if not ADK_FOLDER.is_dir():
        skip_or_fail(f"no Google ADK in {ADK_FOLDER}: make lint installs it")
    with google_adk():
        yield


@pytest.fixture
def make_runner(client: AsyncTurnfold, seen: list[list[Any]]) -> Callable[..., Any]:
    """Makes a runner of an agent whose model answers with these parts in turn."""
    from google.adk.agents import Agent
    from google.adk.apps import App
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.genai import types

    from turnfold.frameworks.google_adk import TurnfoldPlugin

    sessions = InMemorySessionService()

    def make(*answers: list[Any], **options: Any) -> Any:
        remaining = iter(answers)

        class Model(BaseLlm):
            async def generate_content_async(self, llm_request: Any, stream: bool) -> Any:
                seen.append(list(llm_request.contents))
                parts = next(remaining)
                for part in parts if stream else ():
                    yield LlmResponse(content=types.Content(role="model", parts=[part]), partial=True)
                yield LlmResponse(content=types.Content(role="model", parts=parts))

        agent = Agent(name="clerk", model=Model(model="local"), **options)
        app = App(name="shop", root_agent=agent, plugins=[TurnfoldPlugin(client, budget_tokens=BUDGET)])
        return Runner(app=app, session_service=sessions, auto_create_session=True)

    return make


async def ask(runner: Any, question: str, *, session: str = "conv-1", user: str = "ana", **options: Any) -> str:
    """Return the text of the final answer."""
    from google.genai import types

    message = types.Content(role="user", parts=[types.Part(text=question)])
    words = ""
    async for event in runner.run_async(user_id=user, session_id=session, new_message=message, **options):
        if event.is_final_response() and event.content:
            words = text_of([event.content])
    return words


def text_of(contents: list[Any]) -> str:
    return "\n".join(part.text for content in contents for part in content.parts if part.text)


async def test_the_model_is_given_the_context_and_what_was_said_is_appended(
    make_runner: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, local: LocalWorker
) -> None:
    from google.genai import types

    def look_up(word: str) -> str:
        """Look up where a thing is."""
        return f"{word} is in drawer 7"

    tf.append(CONVERSATION, talk_with(FACT, "google-adk", 60))
    local.settle()
    call = types.Part(
        function_call=types.FunctionCall(name="look_up", args={"word": "vault"}), thought_signature=b"signed"
    )
    runner = make_runner(
        [types.Part(text="Hm.", thought=True), call], [types.Part(text="Drawer 7.")], [types.Part(text="As I said.")],
        instruction="Be brief.", tools=[look_up],
    )  # fmt: skip
    assert await ask(runner, QUESTION) == "Drawer 7."
    local.settle()
    assert tf.status(CONVERSATION).stored == 60 + 4
    assert await ask(runner, "Where again?") == "As I said."
    local.settle()
    assert tf.status(CONVERSATION).stored == 60 + 6

    opening, looping, last = seen
    assert "tangerine-41" in text_of(opening)
    assert text_of(opening[-1:]) == QUESTION
    assert looping[: len(opening)] == opening
    # The provider's signature returns unchanged.
    assert looping[-2].parts[-1].thought_signature == b"signed"
    assert text_of(last).count("tangerine-41") == text_of(opening).count("tangerine-41")
    assert [content.role for content in last[-4:]] == ["model", "user", "model", "user"]
    assert last[-4].parts[0].function_call.name == "look_up"
    assert last[-3].parts[0].function_response.response == {"result": "vault is in drawer 7"}
    assert [text_of([content]) for content in last[-2:]] == ["Drawer 7.", "Where again?"]
    stored = await runner.session_service.get_session(app_name="shop", user_id="ana", session_id="conv-1")
    assert [bool(event.actions.compaction) for event in stored.events] == [False] * 6


async def test_a_session_that_began_without_it_is_appended_whole_and_its_user_can_be_forgotten(
    make_runner: Callable[..., Any], seen: list[list[Any]], tf: Turnfold, local: LocalWorker
) -> None:
    from google.genai import types

    runner = make_runner(*([types.Part(text=answer)] for answer in ("One.", "Two.", "Three.")))
    plugin = runner.plugin_manager.plugins.pop()
    await ask(runner, "First.")
    runner.plugin_manager.plugins.append(plugin)
    await ask(runner, "Second.")
    # Simulate another process, which does not know which turns were appended.
    plugin._appended = type(plugin._appended)()
    await ask(runner, "Third.")
    words = ["First.", "One.", "Second.", "Two.", "Third."]
    assert [text_of([content]) for content in seen[-1][-5:]] == words
    assert len(seen[-1]) <= len(words) + 1
    shown = tf.context(CONVERSATION, budget_tokens=BUDGET).text
    assert [shown.count(word) for word in (*words, "Three.")] == [1] * 6
    local.settle()
    assert [receipt.conversation_id for receipt in tf.forget(subject="ana", timeout_seconds=0).conversations]


async def test_users_and_applications_share_no_conversation(make_runner: Callable[..., Any], tf: Turnfold) -> None:
    from google.adk.sessions import Session
    from google.genai import types

    from turnfold.frameworks.google_adk import conversation_of

    runner = make_runner([types.Part(text="One.")], [types.Part(text="Two.")])
    await ask(runner, "Of Ana.")
    await ask(runner, "Of Ben.", user="ben")
    assert "Of Ana." not in tf.context("shop/ben/conv-1", budget_tokens=BUDGET).text
    ids = {conversation_of(Session(app_name=app, user_id=user, id="c")) for app, user in (("a/b", "d"), ("a", "b/d"))}
    assert ids == {"a%2Fb/d/c", "a/b%2Fd/c"}
    longer = [Session(app_name="shop", user_id="ü" * 60, id=f"{'c' * 90}{end}") for end in ("1", "2")]
    ids = {conversation_of(session) for session in longer}
    assert len(ids) == 2
    for name in ids:
        assert checked_id("conversation id", name) == name
        assert name.startswith("shop/%C3%BC")


async def test_a_streamed_answer_is_appended_once(make_runner: Callable[..., Any], tf: Turnfold) -> None:
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.genai import types

    runner = make_runner([types.Part(text="It is "), types.Part(text="drawer 7.")])
    streaming = RunConfig(streaming_mode=StreamingMode.SSE)
    await ask(runner, "Where?", run_config=streaming)
    assert tf.context(CONVERSATION, budget_tokens=BUDGET).text.count("drawer 7.") == 1


async def test_a_session_need_not_be_loaded(make_runner: Callable[..., Any], seen: list[list[Any]]) -> None:
    from google.adk.agents.run_config import RunConfig
    from google.adk.sessions.base_session_service import GetSessionConfig
    from google.genai import types

    runner = make_runner([types.Part(text="Drawer 7.")], [types.Part(text="As I said.")])
    unloaded = RunConfig(get_session_config=GetSessionConfig(num_recent_events=0))
    for question in ("Where?", "Where again?"):
        await ask(runner, question, run_config=unloaded)
    assert [text_of([content]) for content in seen[-1][-3:]] == ["Where?", "Drawer 7.", "Where again?"]


@pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning")  # AgentTool's own
async def test_an_agent_that_a_tool_asks_leaves_no_conversation(
    make_runner: Callable[..., Any], client: AsyncTurnfold, tf: Turnfold, local: LocalWorker
) -> None:
    from google.adk.tools.agent_tool import AgentTool
    from google.genai import types

    helper = make_runner([types.Part(text="Drawer 7.")]).agent
    helper.name = "helper"
    call = types.Part(function_call=types.FunctionCall(name="helper", args={"request": "Where?"}))
    runner = make_runner([call], [types.Part(text="In drawer 7.")], tools=[AgentTool(helper)])
    assert await ask(runner, "Ask for it.") == "In drawer 7."
    local.settle()
    ids = [summary.conversation_id for summary in tf.conversations()]
    assert [name for name in ids if name.startswith("shop/")] == [CONVERSATION]
    assert tf.status(CONVERSATION).stored == 4


async def test_pictures_come_back(make_runner: Callable[..., Any], seen: list[list[Any]], tf: Turnfold) -> None:
    from google.genai import types

    runner = make_runner([types.Part(text="A cat.")], [types.Part(text="Again.")])
    picture = types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")
    far = types.Part.from_uri(file_uri="https://example.org/a.png", mime_type="image/png")
    message = types.Content(role="user", parts=[types.Part(text="What is this?"), picture, far])
    async for _ in runner.run_async(user_id="ana", session_id="conv-1", new_message=message):
        pass
    await ask(runner, "And now?")
    assert seen[-1][-3].parts == message.parts


def test_thoughts_and_what_the_framework_asks_the_application_are_no_turns() -> None:
    from google.adk.events import Event
    from google.genai import types

    from turnfold.frameworks.google_adk import _turns
    from turnfold.frameworks.reading import turns_of

    def turns(*parts: Any, author: str = "clerk") -> list[dict[str, Any]]:
        event = Event(author=author, content=types.Content(role="model", parts=list(parts)))
        return turns_of([event], _turns)

    assert turns() == turns(types.Part(text="Hm.", thought=True)) == turns_of([Event(author="clerk")], _turns) == []
    asked = types.FunctionCall(id="c", name="adk_request_credential", args={"secret": "tangerine-41"})
    assert turns(types.Part(function_call=asked)) == []
    results = [types.FunctionResponse(id=name, name="f", response={"a": 1}) for name in "cd"]
    kept = turns(*(types.Part(function_response=result) for result in results), author="user")
    assert [(turn["role"], turn["tool_call_id"], turn["content"]) for turn in kept] == [
        ("tool", "c", '{"a": 1}'), ("tool", "d", '{"a": 1}'),
    ]  # fmt: skip
