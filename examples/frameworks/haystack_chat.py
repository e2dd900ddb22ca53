"""A chat with memory in Haystack: python examples/frameworks/haystack_chat.py.

Install it with `pip install 'turnfold[haystack]'`, start `turnfold up`, and export the settings that it prints
(TURNFOLD_REDIS_URL …). To talk to a real model, replace the generator below, which only reports how many messages it
was given, with OpenAIChatGenerator().
"""

from __future__ import annotations

import sys

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from turnfold.frameworks.haystack import TurnfoldRetriever, TurnfoldWriter


def answer(messages: list[ChatMessage]) -> str:
    return f"I was shown {len(messages)} messages."


def main() -> None:
    """Ask two questions of one pipeline, which can serve any number of conversations."""
    pipeline = Pipeline()
    pipeline.add_component("recall", TurnfoldRetriever(budget_tokens=4_000))
    pipeline.add_component("agent", Agent(chat_generator=MockChatGenerator(response_fn=answer)))
    pipeline.add_component("keep", TurnfoldWriter())
    pipeline.connect("recall.messages", "agent.messages")
    pipeline.connect("agent.messages", "keep.messages")
    for question in ("We must use PostgreSQL 16. Which pooler fits?", "And which version did I name?"):
        conversation = {"conversation_id": "haystack-chat"}
        inputs = {"recall": {**conversation, "messages": [ChatMessage.from_user(question)]}, "keep": conversation}
        outputs = pipeline.run(inputs, include_outputs_from={"agent"})
        sys.stdout.write(f"{question}\n  {outputs['agent']['last_message'].text}\n")


if __name__ == "__main__":
    main()
