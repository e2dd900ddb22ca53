"""Sessions and memories for agent frameworks, driven by the frameworks themselves with a model on a real server."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio

from conftest import Filling, LocalWorker
from support.needed import needed_package
from support.talk import talk_to_look_up
from turnfold import AsyncTurnfold, InvalidInput, Settings, Turnfold
from turnfold_worker.testing.model_server import Behaviour, OpenAIServer

CONVERSATION = "conv-1"
FACT = "The vault door opens with the code word tangerine-41."
QUESTION = "Which code word opens the vault door?"
BUDGET = 4_000


@pytest.fixture
def database_url(request: pytest.FixtureRequest, migrated: Path, tmp_path: Path) -> str:
    """SQLite alone suffices: other tests cover reads on both databases. It is empty but for tests of what was told."""
    if "told" in request.fixturenames:
        url: str = request.getfixturevalue("sqlite_url")
        return url
    return f"sqlite:///{shutil.copy(migrated, tmp_path / 'turnfold.db')}"


@pytest_asyncio.fixture
async def client(settings: Settings) -> AsyncIterator[AsyncTurnfold]:
    async with AsyncTurnfold(settings=settings) as client:
        yield client


@pytest.fixture(scope="module")
def filled() -> Filling:
    return talk_to_look_up(CONVERSATION, FACT, "frameworks")


@pytest.fixture
def told(tf: Turnfold) -> Turnfold:
    """A client of the conversation."""
    return tf


class TestOpenAIAgents:
    @pytest.fixture(autouse=True)
    def agents(self) -> Any:
        agents = needed_package("agents")
        agents.set_tracing_disabled(True)
        return agents

    @pytest.fixture
    def session(self, client: AsyncTurnfold) -> Any:
        from turnfold.frameworks.openai_agents import TurnfoldSession

        return TurnfoldSession(CONVERSATION, client, budget_tokens=BUDGET)

    @pytest_asyncio.fixture
    async def agent(self, agents: Any, openai_server: OpenAIServer) -> AsyncIterator[Any]:
        @agents.function_tool
        def look_up(word: str) -> str:
            return f"{word} is in drawer 7"

        async with openai.AsyncOpenAI(base_url=openai_server.base_url, api_key="none") as model_client:
            model = agents.OpenAIChatCompletionsModel(model="made", openai_client=model_client)
            yield agents.Agent(name="clerk", instructions="Be brief.", model=model, tools=[look_up])

    def test_is_a_session(self, agents: Any, session: Any) -> None:
        assert isinstance(session, agents.Session)

    async def test_a_run_reads_the_context_and_appends_what_was_said(
        self, agents: Any, agent: Any, session: Any, told: Turnfold, local: LocalWorker, openai_server: OpenAIServer
    ) -> None:
        openai_server.then(
            Behaviour(tools=(("look_up", '{"word": "vault"}'), ("look_up", '{"word": "key"}')), finish="tool_calls"),
            Behaviour(content="The vault is in drawer 7."),
            Behaviour(content="Drawer 7, as I said."),
        )
        before = told.status(CONVERSATION).stored

        result = await agents.Runner.run(agent, "Where is the vault's key?", session=session)
        assert result.final_output == "The vault is in drawer 7."
        local.settle()
        # The question, two calls at once, their two results, and the answer.
        assert told.status(CONVERSATION).stored == before + 5
        again = await agents.Runner.run(agent, "Where again?", session=session)

        assert again.final_output == "Drawer 7, as I said."
        first, _, third = (request["messages"] for request in openai_server.requests)
        assert "[background" in json.dumps(first)
        assert first[-1] == {"role": "user", "content": "Where is the vault's key?"}
        kinds = [message["role"] for message in third]
        assert kinds[-6:] == ["user", "assistant", "tool", "tool", "assistant", "user"]
        assert [call["function"]["name"] for call in third[-5]["tool_calls"]] == ["look_up", "look_up"]
        assert "drawer 7" in third[-3]["content"]

    async def test_items_stay_within_the_budget_however_long_the_conversation(
        self, session: Any, told: Turnfold
    ) -> None:
        items = await session.get_items()
        assert told.context(CONVERSATION, budget_tokens=BUDGET).tokens <= BUDGET
        assert items[0] == {"role": "user", "content": told.context(CONVERSATION, budget_tokens=BUDGET).record}
        assert items == await session.get_items()

    async def test_a_limit_gives_the_newest_items_and_no_result_without_its_call(self, session: Any) -> None:
        await session.add_items([
            {"role": "user", "content": "Look it up."},
            {"type": "function_call", "call_id": "a", "name": "look_up", "arguments": "{}", "id": "fc_1"},
            {"type": "function_call_output", "call_id": "a", "output": "drawer 7"},
            {"role": "assistant", "content": "It is in drawer 7."},
        ])  # fmt: skip
        assert [item.get("content") for item in await session.get_items(2)] == ["It is in drawer 7."]
        assert [item.get("type") for item in await session.get_items(3)] == [
            "function_call", "function_call_output", None,
        ]  # fmt: skip

    async def test_items_of_the_responses_form_come_back(self, session: Any) -> None:
        said = {
            "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Drawer 7.", "annotations": []}],
        }  # fmt: skip
        picture = {"role": "user", "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto"},
        ]}  # fmt: skip
        await session.add_items([
            picture, {"type": "reasoning", "id": "rs_1", "summary": []}, said,
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        ])  # fmt: skip
        assert await session.get_items() == [
            picture, {"role": "assistant", "content": "Drawer 7."},
            {"role": "assistant", "content": "[web_search_call]"},
        ]  # fmt: skip

    async def test_the_newest_item_can_be_taken_back(self, session: Any) -> None:
        assert await session.pop_item() is None
        items = [
            {"role": "user", "content": "Look it up."},
            {"type": "function_call", "call_id": "a", "name": "look_up", "arguments": "{}"},
            {"type": "function_call", "call_id": "b", "name": "look_up", "arguments": "{}"},
        ]
        await session.add_items(items)
        assert await session.pop_item() == items[2]
        assert await session.pop_item() == items[1]
        assert await session.get_items() == items[:1]
        assert await session.pop_item() == items[0]
        assert await session.pop_item() is None

    async def test_items_are_taken_back_from_the_end_however_much_was_said_or_taken_back(
        self, session: Any, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        items = [{"role": "user", "content": f"Number {number}, and some words more."} for number in range(55)]
        await session.add_items(items)
        monkeypatch.setattr("turnfold.read.expand.TOKENS_AT_ONCE", 30)  # a few turns a page
        # No worker runs yet, so the removals wait in the inbox, too.
        assert [await session.pop_item() for _ in range(52)] == items[:2:-1]
        local.settle()
        assert await session.pop_item() == items[2]

    async def test_a_session_can_be_cleared(self, session: Any, local: LocalWorker) -> None:
        await session.add_items([{"role": "user", "content": "Forget me."}])
        local.settle()
        await session.clear_session()
        assert await session.get_items() == []


class TestLangChain:
    @pytest.fixture
    def core(self) -> Any:
        return needed_package("langchain_core.messages")

    @pytest.fixture
    def history(self, core: Any, tf: Turnfold) -> Any:
        from turnfold.frameworks.langchain import TurnfoldHistory

        return TurnfoldHistory(CONVERSATION, tf, budget_tokens=BUDGET)

    @pytest.fixture
    def agent(self, core: Any, tf: Turnfold, models: list[list[Any]]) -> Any:
        from langchain.agents import create_agent
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langgraph.checkpoint.memory import InMemorySaver

        from turnfold.frameworks.langchain import TurnfoldMiddleware

        def look_up(word: str) -> str:
            """Look up where a thing is."""
            return f"{word} is in drawer 7"

        class Model(GenericFakeChatModel):
            """Gives the scripted answers and records its inputs."""

            def bind_tools(self, tools: Any, **_: Any) -> Any:
                return self

            def _generate(self, messages: list[Any], *given: Any, **by_name: Any) -> Any:
                models.append(messages)
                return super()._generate(messages, *given, **by_name)

        calls = [{"name": "look_up", "args": {"word": "vault"}, "id": "a"}]
        said = [core.AIMessage("", tool_calls=calls), core.AIMessage("Drawer 7."), core.AIMessage("As I said.")]
        folding = TurnfoldMiddleware(tf, budget_tokens=BUDGET)
        return create_agent(
            Model(messages=iter(said)), [look_up], system_prompt="Be brief.", middleware=[folding],
            checkpointer=InMemorySaver(),
        )  # fmt: skip

    @pytest.fixture
    def models(self) -> list[list[Any]]:
        """Inputs of the model, call by call."""
        return []

    @pytest.mark.parametrize("awaited", [False, True])
    async def test_an_agents_model_is_given_the_context(
        self, awaited: bool, core: Any, agent: Any, models: list[list[Any]], told: Turnfold, local: LocalWorker
    ) -> None:
        thread = {"configurable": {"thread_id": CONVERSATION}}

        async def run(text: str) -> Any:
            given = {"messages": [core.HumanMessage(text)]}
            return await agent.ainvoke(given, thread) if awaited else agent.invoke(given, thread)

        before = told.status(CONVERSATION).stored
        first = await run(QUESTION)
        local.settle()
        # The question, the call, its result and the answer, once each although the state was seen three times.
        assert told.status(CONVERSATION).stored == before + 4
        second = await run("Where again?")

        assert [one["messages"][-1].content for one in (first, second)] == ["Drawer 7.", "As I said."]
        opening, looping, last = models
        assert opening[0].content.startswith("Be brief.")
        assert "tangerine-41" in "".join(message.content for message in opening)
        assert opening[-1].content == QUESTION
        assert [message.type for message in looping[-3:]] == ["human", "ai", "tool"]
        assert looping[-1].content == "vault is in drawer 7"
        assert [message.content for message in last[-2:]] == ["Drawer 7.", "Where again?"]
        local.settle()
        assert told.status(CONVERSATION).stored == before + 6

    def test_an_agent_without_a_thread_is_told_so(self, agent: Any) -> None:
        from langgraph.graph.state import CompiledStateGraph

        assert isinstance(agent, CompiledStateGraph)
        agent.checkpointer = None
        with pytest.raises(InvalidInput, match="thread_id"):
            agent.invoke({"messages": ["Hello."]})

    def test_a_query_shows_what_answers_it(self, history: Any, told: Turnfold) -> None:
        assert any("tangerine-41" in message.content for message in history.about(QUESTION))

    def test_calls_results_and_pictures_come_back(self, core: Any, history: Any) -> None:
        said = [
            core.HumanMessage([
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            ]),
            core.AIMessage("", tool_calls=[{"name": "look_up", "args": {"word": "it"}, "id": "a"}]),
            core.ToolMessage("drawer 7", tool_call_id="a"),
            core.AIMessage("It is in drawer 7."),
        ]  # fmt: skip
        history.add_messages(said)
        assert [(one.type, one.content) for one in history.messages] == [(one.type, one.content) for one in said]
        assert history.messages[1].tool_calls == said[1].tool_calls

    def test_a_message_with_an_id_is_appended_once(self, core: Any, history: Any, tf: Turnfold) -> None:
        message = core.HumanMessage("Only once.", id="m-1")
        history.add_messages([message])
        history.add_messages([message, core.AIMessage("Yes.", id="m-2")])
        assert [one.content for one in history.messages] == ["Only once.", "Yes."]

    async def test_it_is_awaited_too(self, core: Any, history: Any) -> None:
        await history.aadd_messages([core.HumanMessage("Hello.")])
        assert [one.content for one in await history.aget_messages()] == ["Hello."]

    def test_it_can_be_cleared(self, core: Any, history: Any) -> None:
        history.add_user_message("Forget me.")
        history.clear()
        assert history.messages == []


class TestLlamaIndex:
    @pytest.fixture
    def core(self) -> Any:
        return needed_package("llama_index.core.llms")

    @pytest.fixture
    def memory(self, core: Any, tf: Turnfold) -> Any:
        from turnfold.frameworks.llama_index import TurnfoldMemory

        return TurnfoldMemory.from_defaults(conversation_id=CONVERSATION, client=tf, budget_tokens=BUDGET)

    def test_an_engine_reads_the_context_and_appends_what_was_said(
        self, core: Any, memory: Any, told: Turnfold, local: LocalWorker
    ) -> None:
        from llama_index.core.chat_engine import SimpleChatEngine
        from llama_index.core.llms import MockLLM

        before = told.status(CONVERSATION).stored
        engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory)
        answer = engine.chat("Where is the key?")
        local.settle()

        # The mock model echoes its input.
        assert "[background" in answer.response
        assert "Where is the key?" in answer.response
        assert told.status(CONVERSATION).stored == before + 2

    def test_a_question_shows_what_answers_it(self, memory: Any, told: Turnfold) -> None:
        assert any("tangerine-41" in (message.content or "") for message in memory.get(QUESTION))

    def test_calls_results_and_pictures_come_back(self, core: Any, memory: Any) -> None:
        from llama_index.core.base.llms.types import ImageBlock, TextBlock, ToolCallBlock

        call = ToolCallBlock(tool_call_id="a", tool_name="look_up", tool_kwargs={"word": "it"})
        memory.put_messages([
            core.ChatMessage(blocks=[TextBlock(text="What is this?"), ImageBlock(url="https://example.org/a.png")]),
            core.ChatMessage(role="assistant", blocks=[call]),
            core.ChatMessage("drawer 7", role="tool", additional_kwargs={"tool_call_id": "a"}),
            core.ChatMessage("It is in drawer 7.", role="chatbot"),
        ])  # fmt: skip
        user, called, result, answer = memory.get()
        assert [block.block_type for block in user.blocks] == ["text", "image"]
        assert str(user.blocks[1].url) == "https://example.org/a.png"
        assert called.additional_kwargs["tool_calls"][0]["function"]["name"] == "look_up"
        assert (result.role.value, result.content) == ("tool", "drawer 7")
        assert (answer.role.value, answer.content) == ("assistant", "It is in drawer 7.")

    async def test_it_is_awaited_too(self, core: Any, memory: Any) -> None:
        await memory.aput(core.ChatMessage("Hello."))
        assert [message.content for message in await memory.aget()] == ["Hello."]
        assert memory.get_all() == memory.get()

    def test_it_can_be_set_and_reset(self, core: Any, memory: Any, local: LocalWorker) -> None:
        memory.put(core.ChatMessage("Old."))
        memory.set([core.ChatMessage("New.")])
        assert [message.content for message in memory.get()] == ["New."]
        memory.reset()
        assert memory.get() == []


@pytest.mark.parametrize("option", ["query", "conversation_id"])
def test_what_changes_from_read_to_read_is_refused(tf: Turnfold, option: str) -> None:
    from turnfold.frameworks.reading import read_options

    with pytest.raises(InvalidInput, match=option):
        read_options(BUDGET, {option: "x"})


def test_a_client_of_the_other_kind_is_refused_at_once(tf: Turnfold, settings: Settings) -> None:
    from turnfold.frameworks.langchain import TurnfoldHistory, TurnfoldMiddleware
    from turnfold.frameworks.llama_index import TurnfoldMemory
    from turnfold.frameworks.openai_agents import TurnfoldSession

    other: Any = AsyncTurnfold(settings=settings)
    with pytest.raises(InvalidInput, match="needs Turnfold, not AsyncTurnfold"):
        TurnfoldMiddleware(other, budget_tokens=BUDGET)
    with pytest.raises(InvalidInput, match="needs Turnfold"):
        TurnfoldHistory("c", other, budget_tokens=BUDGET)
    with pytest.raises(InvalidInput, match="needs Turnfold"):
        TurnfoldMemory("c", other, budget_tokens=BUDGET)
    synchronous: Any = tf
    with pytest.raises(InvalidInput, match="needs AsyncTurnfold"):
        TurnfoldSession("c", synchronous, budget_tokens=BUDGET)
