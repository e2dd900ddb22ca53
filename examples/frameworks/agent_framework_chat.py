"""A chat with memory in Microsoft Agent Framework: python examples/frameworks/agent_framework_chat.py.

Install it with `pip install 'turnfold[agent-framework]'`, start `turnfold up`, and export the settings that it prints
(TURNFOLD_REDIS_URL …). To talk to a real model, replace the client below, which only reports how many messages it was
given, with OpenAIChatClient() of agent-framework-openai.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from turnfold import AsyncTurnfold
from turnfold.frameworks.agent_framework import TurnfoldHistoryProvider


class CountingClient(BaseChatClient):
    """A stand-in for a model that runs in this process."""

    async def _inner_get_response(self, *, messages: list[Message], **_: Any) -> ChatResponse:
        return ChatResponse(messages=[Message("assistant", [f"I was shown {len(messages)} messages."])])


async def main() -> None:
    """Ask two questions, each in a new session that knows only its id."""
    async with AsyncTurnfold.from_env() as turnfold:
        history = TurnfoldHistoryProvider(turnfold, budget_tokens=4_000)
        for question in ("We must use PostgreSQL 16. Which pooler fits?", "And which version did I name?"):
            agent = Agent(
                client=CountingClient(), instructions="You are a careful architect.", context_providers=[history]
            )
            run = await agent.run(question, session=agent.create_session(session_id="agent-framework-chat"))
            sys.stdout.write(f"{question}\n  {run.text}\n")


if __name__ == "__main__":
    asyncio.run(main())
