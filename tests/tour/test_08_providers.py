"""Providers: a context is ready to send.

`request("openai")` and `request("anthropic")` return the arguments a provider's client expects, with each tool call
next to its result. The system text can be assembled from sections, which flags and the budget switch on or off.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Section, Turnfold


def test_a_context_is_ready_for_a_providers_client(turnfold: Turnfold) -> None:
    turnfold.append("conv", example("coding-agent"))
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=3_000, system="You are a careful engineer.")
    openai = context.request("openai")["messages"]
    assert openai[0]["role"] == "system"
    assert openai[0]["content"].startswith("You are a careful engineer.")
    prompt = [
        Section(name="core", text="You are a careful engineer.", required=True),
        Section(name="trouble", text="A test failed: begin there.", when=frozenset({"failing"})),
    ]
    failing = turnfold.context("conv", budget_tokens=3_000, system=prompt, flags={"failing"})
    assert failing.text.startswith("You are a careful engineer.\n\nA test failed: begin there.\n")
    assert turnfold.context("conv", budget_tokens=3_000, system=prompt).text == context.text
    called = {call["id"] for message in openai for call in message.get("tool_calls") or ()}
    assert {message["tool_call_id"] for message in openai if message["role"] == "tool"} <= called
    anthropic = context.request("anthropic")
    assert [message["role"] for message in anthropic["messages"]][::2] == ["user"] * (
        (len(anthropic["messages"]) + 1) // 2
    )
