"""LiteLLM's hook, called by the package itself, with a provider on a real local server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from conftest import LocalWorker
from support.needed import needed_package
from support.provider import Provider, Reply
from support.waiting import wait_until
from turnfold import AsyncTurnfold, InvalidBudget, Settings, Turnfold
from turnfold.assemble import messages_tokens
from turnfold.tokens import estimate_tokens

BUDGET = 2_000


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone suffices: other tests cover reads on both databases."""
    return sqlite_url


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture
def litellm() -> Iterator[Any]:
    """The package. Skips where it is not installed, but fails where CI is set."""
    package = needed_package("litellm")
    package.telemetry = False
    yield package
    # The package keeps hooks in lists of its own besides `callbacks`.
    package.logging_callback_manager._reset_all_callbacks()


@pytest_asyncio.fixture
async def hook(litellm: Any, settings: Settings) -> AsyncIterator[Any]:
    """The hook, registered with the package."""
    from turnfold.frameworks.litellm import TurnfoldHook

    async with AsyncTurnfold(settings=settings) as client:
        hook = TurnfoldHook(client, budget_tokens=BUDGET, wait_seconds=0)
        litellm.callbacks = [hook]
        yield hook


class Application:
    """An application that keeps its own history and passes no more to memory than the conversation's name."""

    def __init__(self, litellm: Any, provider: Provider) -> None:
        self._litellm = litellm
        self._provider = provider
        self.history: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]

    async def ask(self, question: str, *, stream: bool = False, metadata: dict[str, Any] | None = None) -> str:
        self.history.append({"role": "user", "content": question})
        response = await self._litellm.acompletion(
            model="openai/m", messages=self.history, api_base=self._provider.url, api_key="sk", stream=stream,
            metadata={"turnfold_conversation": "conv-1"} if metadata is None else metadata,
        )  # fmt: skip
        if stream:
            answer = "".join([chunk.choices[0].delta.content or "" async for chunk in response])
        else:
            answer = response.choices[0].message.content
        self.history.append({"role": "assistant", "content": answer})
        return answer


@pytest.fixture
def application(litellm: Any, provider: Provider) -> Application:
    return Application(litellm, provider)


async def settled(tf: Turnfold, turns: int) -> list[str]:
    """Return the conversation's turns once the package has reported its last answer."""

    def contents() -> list[str]:
        return [turn.content for turn in tf.turns("conv-1")]

    await asyncio.to_thread(wait_until, lambda: len(contents()) == turns, what=f"{turns} turns are appended")
    return contents()


@pytest.mark.parametrize("stream", [False, True])
async def test_a_conversation_is_kept_as_it_goes(
    hook: Any, application: Application, provider: Provider, tf: Turnfold, stream: bool
) -> None:
    provider.then(Reply(text="Port 7003."), Reply(text="Port 7004."))
    assert await application.ask("Which port has service 3?", stream=stream) == "Port 7003."
    assert await settled(tf, 2) == ["Which port has service 3?", "Port 7003."]
    await application.ask("And service 4?", stream=stream)
    assert await settled(tf, 4) == [message["content"] for message in application.history[1:]]
    assert provider.last.items == application.history[:-1]


@pytest.mark.long
async def test_a_long_history_is_sent_inside_the_budget(
    hook: Any, application: Application, provider: Provider, tf: Turnfold, local: LocalWorker
) -> None:
    provider.choose = lambda sent: Reply(text=f"Rule {len(sent.items)} follows. " + "It was measured. " * 30)
    for number in range(20):
        await application.ask(f"Service {number} must listen on port {7000 + number}. Which rule?")
        local.settle()
    assert (await settled(tf, 40))[-2:] == [message["content"] for message in application.history[-2:]]
    system, block, *_, question = provider.last.items
    assert system == application.history[0]
    assert block["content"].startswith("[memory ")
    assert question == application.history[-2]
    assert messages_tokens(provider.last.items, estimate_tokens) <= BUDGET


async def test_a_call_without_a_conversation_is_left_as_it_is(
    hook: Any, application: Application, provider: Provider, tf: Turnfold
) -> None:
    await application.ask("Hello?", metadata={})
    assert provider.last.items == application.history[:-1]
    assert tf.status("conv-1").stored + tf.status("conv-1").inbox == 0


async def test_a_budget_that_cannot_hold_the_system_message_is_said(hook: Any, application: Application) -> None:
    application.history[0]["content"] = "Be careful. " * 2_000
    with pytest.raises(Exception, match="give at least") as caught:
        await application.ask("Hello?")
    assert isinstance(caught.value, InvalidBudget) or "cannot hold the system messages" in str(caught.value)
