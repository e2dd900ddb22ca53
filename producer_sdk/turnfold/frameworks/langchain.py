"""LangChain and LangGraph: a middleware for agents, and a chat message history.

>>> folding = TurnfoldMiddleware(Turnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> agent = create_agent("openai:gpt-4o", tools, middleware=[folding], checkpointer=saver)  # doctest: +SKIP
>>> agent.invoke({"messages": ["Hello."]}, {"configurable": {"thread_id": "conv-1"}})  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    BaseMessage,
    HumanMessage,
    SystemMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langgraph.config import get_config

from turnfold.client import Turnfold
from turnfold.errors import InvalidInput
from turnfold.frameworks.reading import LastAppended, checked_client, identified, read_options, turns_of


class TurnfoldMiddleware(AgentMiddleware):
    """Gives an agent's model a context within `budget_tokens` in place of all messages of its thread.

    Messages are appended as they arrive; the thread's id is the conversation's. The context is built for the last
    question. The thread's own state is not changed. `options` are passed to every `Turnfold.context` call: `policy`,
    `count_tokens`, `reserve_tokens` ….
    """

    def __init__(self, client: Turnfold, *, budget_tokens: int, **options: Any) -> None:
        super().__init__()
        self._client = checked_client(client, Turnfold)
        self._options = read_options(budget_tokens, options)
        self._appended = LastAppended()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Append new messages, and call the model with the context."""
        return handler(self._folded(request, _thread()))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """As `wrap_model_call`."""
        return await handler(await asyncio.to_thread(self._folded, request, _thread()))

    def after_agent(self, state: AgentState[Any], runtime: Any) -> None:  # noqa: ARG002 - LangChain's form
        """Append the agent's last messages."""
        self._append(_thread(), state["messages"])

    async def aafter_agent(self, state: AgentState[Any], runtime: Any) -> None:  # noqa: ARG002 - LangChain's form
        """As `after_agent`."""
        await asyncio.to_thread(self._append, _thread(), state["messages"])

    def _folded(self, request: ModelRequest[Any], thread: str) -> ModelRequest[Any]:
        self._append(thread, request.messages)
        question = next(
            (str(message.text) for message in reversed(request.messages) if isinstance(message, HumanMessage)), None
        )
        system = None if request.system_message is None else str(request.system_message.text)
        context = self._client.context(thread, query=question or None, system=system, **self._options)
        first, *following = convert_to_messages(context.messages("openai"))
        if isinstance(first, SystemMessage):
            return request.override(system_message=first, messages=following)
        return request.override(messages=[first, *following])

    def _append(self, thread: str, messages: Sequence[BaseMessage]) -> None:
        """Append the messages after the last one appended; all of them if that is unknown."""
        ids = [message.id for message in messages]
        new = messages[self._appended.count(thread, ids) :]
        if turns := turns_of(new, _turns):
            self._client.append(thread, turns)
        self._appended.note(thread, ids)


class TurnfoldHistory(BaseChatMessageHistory):
    """A conversation as a LangChain history, whose messages are a context within `budget_tokens`.

    `options` are passed to every `Turnfold.context` call: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    def __init__(self, conversation_id: str, client: Turnfold, *, budget_tokens: int, **options: Any) -> None:
        super().__init__()
        self._conversation = conversation_id
        self._client = checked_client(client, Turnfold)
        self._options = read_options(budget_tokens, options)

    @property
    def messages(self) -> list[BaseMessage]:
        """The context as messages, the newest last."""
        return self._read(None)

    def about(self, query: str) -> list[BaseMessage]:
        """Return the context as messages, with more detail on `query`."""
        return self._read(query)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages; a repeated `id` changes nothing."""
        if turns := turns_of(messages, _turns):
            self._client.append(self._conversation, turns)

    def clear(self) -> None:
        """Erase the conversation: it is unreadable at once, and a worker deletes its rows."""
        self._client.forget(self._conversation, timeout_seconds=0)

    def _read(self, query: str | None) -> list[BaseMessage]:
        context = self._client.context(self._conversation, query=query, **self._options)
        messages: list[BaseMessage] = convert_to_messages(context.messages("openai"))
        return messages


def _turns(message: BaseMessage) -> Iterator[dict[str, Any]]:
    """Yield the turns of a message: usually one, several for the joined tool results of Anthropic's form."""
    return identified(convert_to_openai_messages([message]), message.id)


def _thread() -> str:
    """Return the id of the running thread. Raises `InvalidInput` if there is none."""
    thread = get_config().get("configurable", {}).get("thread_id")
    if not thread:
        msg = "the agent was invoked without a thread_id"
        raise InvalidInput(msg, remedy='invoke it with the config {"configurable": {"thread_id": "conv-1"}}')
    return str(thread)
