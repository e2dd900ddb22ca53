"""A chat that remembers, in Pydantic AI: python examples/frameworks/pydantic_ai_chat.py, beside `turnfold up`.

It takes the settings that `turnfold up` prints (TURNFOLD_REDIS_URL …), and `pip install 'turnfold[pydantic-ai]'`. MODEL
names a model of yours, such as openai:gpt-4o; without one, a model in this process says how much it was shown.
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
    """Ask two questions, each of an agent that was handed no history."""
    async with AsyncTurnfold.from_env() as turnfold:
        memory = TurnfoldMemory(turnfold, budget_tokens=4_000)
        for question in ("We must use PostgreSQL 16. Which pooler fits?", "And which version did I name?"):
            model = os.environ.get("MODEL") or FunctionModel(counting_model)
            agent = Agent(model, instructions="You are a careful architect.", capabilities=[memory])
            run = await agent.run(question, conversation_id="pydantic-ai-chat")
            sys.stdout.write(f"{question}\n  {run.output}\n")


if __name__ == "__main__":
    asyncio.run(main())
