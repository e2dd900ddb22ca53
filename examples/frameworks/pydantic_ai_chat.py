"""A chat with memory in Pydantic AI: python examples/frameworks/pydantic_ai_chat.py.

Install it with `pip install 'turnfold[pydantic-ai]'`, start `turnfold up`, and export the settings that it prints
(TURNFOLD_REDIS_URL …). Set MODEL to a model of yours, such as openai:gpt-4o; without it, a stand-in in this process
reports how many messages it was given.
"""

from __future__ import annotations

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from turnfold import AsyncTurnfold
from turnfold.frameworks.pydantic_ai import TurnfoldMemory


def counting_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG001 - the form of a model
    return ModelResponse(parts=[TextPart(f"I was shown {len(messages)} messages.")])


async def main() -> None:
    """Ask two questions, each of a new agent that is given no history."""
    async with AsyncTurnfold.from_env() as turnfold:
        memory = TurnfoldMemory(turnfold, budget_tokens=4_000)
        for question in ("We must use PostgreSQL 16. Which pooler fits?", "And which version did I name?"):
            model = os.environ.get("MODEL") or FunctionModel(counting_model)
            agent = Agent(model, instructions="You are a careful architect.", capabilities=[memory])
            run = await agent.run(question, conversation_id="pydantic-ai-chat")
            sys.stdout.write(f"{question}\n  {run.output}\n")


if __name__ == "__main__":
    asyncio.run(main())
