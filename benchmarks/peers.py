"""Store the same talk in SQLite with other libraries, and build a context of at most a budget with each.

Needs `pip install --group bench`; without it, the peers are left out.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens

Talk = Sequence[dict[str, str]]

MOST_TOKENS: Final = 16_000
"""The largest budget that a peer may be asked for."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A conversation stored by a peer."""

    name: str
    read: Callable[[int], list[str]]
    """Returns the contents of its messages for a budget."""


def peers(folder: Path, talk: Talk) -> Iterator[Peer]:
    """Yield each installed peer, with the talk stored."""
    warnings.simplefilter("ignore")
    for make in (_langchain, _llama_index, _openai_agents):
        try:
            yield make(folder, talk)
        except ModuleNotFoundError as error:
            print(f"{make.__name__.strip('_')} is left out: {error.name} is not installed (pip install --group bench)")


def tokens(contents: Sequence[str]) -> int:
    """Return the cost of a list of messages, by the estimator that Turnfold counts with."""
    return sum(MESSAGE_TOKENS + estimate_tokens(content) for content in contents)


def _langchain(folder: Path, talk: Talk) -> Peer:
    from langchain_community.chat_message_histories import SQLChatMessageHistory
    from langchain_core.messages import AIMessage, HumanMessage, trim_messages

    history = SQLChatMessageHistory("bench", connection=f"sqlite:///{folder / f'langchain-{len(talk)}.db'}")
    kinds = {"user": HumanMessage, "assistant": AIMessage}
    history.add_messages([kinds[turn["role"]](turn["content"]) for turn in talk])

    def read(budget: int) -> list[str]:
        kept: Any = trim_messages(
            history.messages,
            max_tokens=budget,
            strategy="last",
            token_counter=lambda messages: tokens([str(message.content) for message in messages]),
        )
        return [str(message.content) for message in kept]

    return Peer("LangChain SQLChatMessageHistory + trim_messages", read)


def _llama_index(folder: Path, talk: Talk) -> Peer:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    loop = asyncio.new_event_loop()
    url = f"sqlite+aiosqlite:///{folder / f'llama-{len(talk)}.db'}"

    def memory(budget: int) -> Any:
        # A share of 1 gives the whole budget to messages.
        return Memory.from_defaults(
            session_id="bench", token_limit=budget, chat_history_token_ratio=1.0, async_database_uri=url,
            tokenizer_fn=lambda text: [0] * estimate_tokens(text),
        )  # fmt: skip

    async def store() -> None:
        # Truncated while it grows, as a user's would be: truncating a long one at once takes minutes.
        filled = memory(MOST_TOKENS)
        for first in range(0, len(talk), 1_000):
            await filled.aput_messages(
                [ChatMessage(role=turn["role"], content=turn["content"]) for turn in talk[first : first + 1_000]]
            )

    loop.run_until_complete(store())
    opened: dict[int, Any] = {}

    async def trimmed(budget: int) -> Any:
        # The queue is truncated to the budget by each put, which is before the measured time.
        made = memory(budget)
        await made.aput(ChatMessage(role="user", content="."))
        return made

    def read(budget: int) -> list[str]:
        if budget not in opened:
            opened[budget] = loop.run_until_complete(trimmed(budget))
        return [str(message.content) for message in loop.run_until_complete(opened[budget].aget())]

    return Peer("LlamaIndex Memory", read)


def _openai_agents(folder: Path, talk: Talk) -> Peer:
    from agents import SQLiteSession

    loop = asyncio.new_event_loop()
    session = SQLiteSession("bench", folder / f"agents-{len(talk)}.db")
    loop.run_until_complete(
        session.add_items([{"role": turn["role"], "content": turn["content"]} for turn in talk])  # type: ignore[misc]
    )

    def read(_: int) -> list[str]:
        items: Any = loop.run_until_complete(session.get_items())
        return [str(item["content"]) for item in items]

    return Peer("OpenAI Agents SDK SQLiteSession", read)
