"""Tool loops of agents: OpenAI's client against a real server, and messages as Anthropic's client builds them.

The loops are those of docs/howto/tools.md, executed from the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from conftest import Filling, LocalWorker
from support.talk import talk_to_look_up
from turnfold import TOOL_NAMES, Turnfold
from turnfold_worker.testing.model_server import Behaviour, OpenAIServer, Request

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "tools.md"
CONVERSATION = "conv-1"
FACT = "The vault door opens with the code word tangerine-41."
QUESTION = "What was it again? Look it up."
MARKER = re.compile(r"→(L\d:[^\]\s]+)")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone suffices: other tests cover reads on both databases."""
    return sqlite_url


@pytest.fixture(scope="module")
def filled() -> Filling:
    return talk_to_look_up(CONVERSATION, FACT, "loops")


@pytest.fixture
def told(tf: Turnfold) -> Turnfold:
    """A client of the conversation."""
    return tf


@pytest.fixture
def client(openai_server: OpenAIServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=openai_server.base_url, api_key="none", max_retries=0) as client:
        yield client


def snippets() -> list[str]:
    """Return the page's Python snippets."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def asking(results: list[str]) -> tuple[tuple[str, str], ...] | str:
    """Play a model that searches and lists decisions, then expands what it found until it can answer."""
    if not results:
        return (("search", json.dumps({"query": "vault door code word"})), ("anchors", '{"types": ["decision"]}'))
    *_, last = results
    if found := re.search(r"code word (tangerine-\d+)", last):
        return f"It is {found[1]}."
    if last.startswith("Error: "):
        return (("search", '{"query": "vault"}'),)
    markers = [one for text in results for one in MARKER.findall(text)]
    words = next(one for one in markers if "L1:" in one).replace("L1:", "L0:")
    return (("expand", json.dumps({"marker": words})),)


def chat_model(request: Request) -> Behaviour:
    """Play `asking` as a chat completion; reject messages that OpenAI would reject."""
    waiting: list[str] = []
    results: list[str] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            assert isinstance(message["content"], str)
            results.append(message["content"])
            continue
        assert not waiting, f"not answered before the next message: {waiting}"
        assert message["role"] in {"system", "user", "assistant"}
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        if not waiting:
            assert message["content"]
    assert not waiting
    step = asking(results)
    return Behaviour(content=step) if isinstance(step, str) else Behaviour(tools=step)


def test_the_chat_loop_of_the_page_finds_what_the_context_left_out(
    told: Turnfold, client: openai.OpenAI, openai_server: OpenAIServer
) -> None:
    openai_server.choose = chat_model
    loop, *_ = snippets()

    exec(loop, {"tf": told, "client": client, "question": QUESTION})  # noqa: S102 - the page's own words

    first, second, *_, last = openai_server.requests
    assert FACT not in json.dumps(first["messages"])
    assert first["messages"][-1] == {"role": "user", "content": QUESTION}
    assert [tool["function"]["name"] for tool in first["tools"]] == list(TOOL_NAMES)
    assert [message["role"] for message in second["messages"][-3:]] == ["assistant", "tool", "tool"]
    assert FACT in last["messages"][-1]["content"]
    assert len(openai_server.requests) == 3
    recent = told.context(CONVERSATION, budget_tokens=4000).messages("openai")[-2:]
    assert [message["content"] for message in recent] == [QUESTION, "It is tangerine-41."]


def test_a_model_that_calls_wrongly_is_told_and_goes_on(
    told: Turnfold, client: openai.OpenAI, openai_server: OpenAIServer
) -> None:
    wrong = (("expand", "{not json"), ("expand", '{"marker": "L1:made-up-999"}'), ("no_such_tool", "{}"))
    openai_server.then(Behaviour(tools=wrong))
    openai_server.choose = chat_model
    loop, *_ = snippets()

    exec(loop, {"tf": told, "client": client, "question": QUESTION})  # noqa: S102 - the page's own words

    answers = [message["content"] for message in openai_server.requests[1]["messages"] if message["role"] == "tool"]
    assert len(answers) == 3
    assert all(answer.startswith("Error: ") for answer in answers)
    assert told.context(CONVERSATION, budget_tokens=4000).text.rstrip().endswith("It is tangerine-41.")


def test_the_loop_of_responses_finds_it_too(told: Turnfold, client: openai.OpenAI, openai_server: OpenAIServer) -> None:
    def model(request: Request) -> Behaviour:
        results = [item["output"] for item in request["input"] if item.get("type") == "function_call_output"]
        calls = [item["call_id"] for item in request["input"] if item.get("type") == "function_call"]
        answered = [item["call_id"] for item in request["input"] if item.get("type") == "function_call_output"]
        assert calls == answered
        step = asking(results)
        return Behaviour(content=step) if isinstance(step, str) else Behaviour(tools=step)

    openai_server.choose = model
    told.append(CONVERSATION, {"role": "user", "content": QUESTION})
    items: list[Any] = told.context(CONVERSATION, budget_tokens=1000).messages("openai")
    tools: list[Any] = told.tools("responses")
    for _ in range(5):
        response = client.responses.create(model="gpt-4o", input=items, tools=tools)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            break
        items += [item.model_dump(exclude_none=True) for item in response.output]
        items += [told.handle_tool_call(CONVERSATION, call) for call in calls]

    assert response.output_text == "It is tangerine-41."


class TextBlock(BaseModel):
    """A text block of Anthropic's client."""

    type: Literal["text"] = "text"
    text: str


class ToolUseBlock(BaseModel):
    """A tool-use block of Anthropic's client."""

    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: dict[str, Any]


class Message(BaseModel):
    """A message of Anthropic's client."""

    role: Literal["assistant"] = "assistant"
    content: list[TextBlock | ToolUseBlock]


def plain(value: Any) -> Any:
    """Convert objects of Anthropic's client to the JSON that it would send."""
    return json.loads(json.dumps(value, default=lambda block: block.model_dump()))


class Anthropic:
    """`client.messages.create` of a model that asks as `asking` does; rejects what Anthropic would reject."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    @property
    def messages(self) -> Anthropic:
        return self

    def create(self, **request: Any) -> Message:
        given = plain(request)
        self.requests.append(given)
        assert set(given) == {"model", "max_tokens", "tools", "messages"}
        assert all(set(tool) == {"name", "description", "input_schema"} for tool in given["tools"])
        check_anthropic(given["messages"])
        results = [
            block["content"]
            for message in given["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
        step = asking(results)
        if isinstance(step, str):
            return Message(content=[TextBlock(text=step)])
        calls = [
            ToolUseBlock(id=f"toolu_{len(self.requests)}_{i}", name=name, input=json.loads(arguments))
            for i, (name, arguments) in enumerate(step)
        ]
        return Message(content=[TextBlock(text="Let me look."), *calls])


def check_anthropic(messages: list[dict[str, Any]]) -> None:
    """Check Anthropic's rules: the user begins, roles alternate, and results open the message after their calls."""
    assert [message["role"] for message in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    called: list[str] = []
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(results) == sorted(called)
        assert [block["type"] for block in blocks[: len(results)]] == ["tool_result"] * len(results)
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert not called


@pytest.mark.parametrize("whole", [False, True], ids=["the answer is kept", "every lookup is kept"])
def test_the_anthropic_loop_of_the_page_finds_it_too(told: Turnfold, local: LocalWorker, *, whole: bool) -> None:
    client = Anthropic()
    _, loop, *_ = snippets()

    exec(loop, {"tf": told, "client": client, "question": QUESTION})  # noqa: S102 - the page's own words

    assert FACT not in json.dumps(client.requests[0])
    assert FACT in json.dumps(client.requests[-1])
    if whole:
        told.append(CONVERSATION, client.requests[-1]["messages"][-4:])
        local.settle()
    for budget in (700, 1500, 6000):
        messages = plain(told.context(CONVERSATION, budget_tokens=budget).request("anthropic")["messages"])
        if messages[-1]["role"] == "assistant":
            messages.append({"role": "user", "content": "Go on."})
        check_anthropic(messages)
