"""`AsyncTurnfold` has the API of `Turnfold` with `await`."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from conftest import LocalWorker
from support.places import shard_of
from support.talk import talk
from turnfold import (
    AsyncTurnfold,
    InvalidInput,
    InvalidSettings,
    InvalidTurn,
    Settings,
    Turnfold,
    UnknownConversation,
    WaitTimeout,
)
from turnfold.contract.attention import Work
from turnfold.contract.keys import Address

TURNS = talk("async", 40)

NAMES = sorted(name for name in vars(Turnfold) if not name.startswith("_"))
VERBS = [name for name in NAMES if inspect.isfunction(vars(Turnfold)[name]) and name != "for_tenant"]


def test_both_clients_have_the_same_public_names() -> None:
    assert sorted(name for name in vars(AsyncTurnfold) if not name.startswith("_")) == NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if name != "tenant"])
def test_a_verb_takes_and_returns_the_same_in_both(name: str) -> None:
    blocking = inspect.signature(getattr(Turnfold, name))
    awaited = inspect.signature(getattr(AsyncTurnfold, name))
    assert awaited.parameters == blocking.parameters
    assert str(awaited.return_annotation).removeprefix("Async") == str(blocking.return_annotation)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_a_coroutine_that_says_what_its_blocking_twin_does(name: str) -> None:
    verb = getattr(AsyncTurnfold, name)
    assert inspect.iscoroutinefunction(verb)
    assert name == "close" or verb.__doc__ in {f"As `Turnfold.{name}`.", getattr(Turnfold, name).__doc__}


async def test_a_client_of_a_class_of_the_callers_answers_itself(settings: Settings) -> None:
    class Jobless(Turnfold):
        def jobs(self, conversation_id: str | None = None, *, limit: int = 0) -> list[Work]:
            return []

    async with AsyncTurnfold(client=Jobless(settings=settings)) as tf:
        assert await tf.jobs("of whatever conversation", limit=-1) == []


async def test_after_its_end_a_client_says_so(settings: Settings) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        view = tf.for_tenant("other")
    for client in (tf, view):
        with pytest.raises(InvalidInput, match="was closed"):
            await client.status("c")


def test_a_client_and_settings_are_not_given_at_once(tf: Turnfold, settings: Settings) -> None:
    with pytest.raises(InvalidSettings, match="not both"):
        AsyncTurnfold(client=tf, settings=settings)
    with pytest.raises(InvalidSettings, match="not both"):
        AsyncTurnfold(client=tf, tenant="other")


@pytest.mark.parametrize("threads", [0, -1, True, "8"])
def test_threads_are_a_number(settings: Settings, threads: Any) -> None:
    with pytest.raises(InvalidSettings, match="threads"):
        AsyncTurnfold(settings=settings, threads=threads)


async def test_every_verb_works_end_to_end(settings: Settings, local: LocalWorker) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        assert tf.tenant == "acme"
        await tf.configure("c", settings={"segment_max_turns": 8})
        receipt = await tf.append("c", TURNS)
        assert len(receipt.turn_ids) == 40
        with pytest.raises(WaitTimeout):
            await tf.wait("c", timeout_seconds=0.01)
        await asyncio.to_thread(local.settle)
        assert (await tf.wait("c")).stored == 40
        assert (await tf.status("c")).settled
        context = await tf.context("c", budget_tokens=800, query="seat map")
        assert context.tokens <= 800
        assert (await tf.expand("c", "L1:1")).text
        await tf.edit("c", receipt.turn_ids[38], content="Other words.")
        await tf.delete("c", receipt.turn_ids[39])
        await tf.rewind("c", after=receipt.turn_ids[38])
        await asyncio.to_thread(local.settle)
        assert (await tf.wait("c")).stored == 39
        assert (await tf.expand("c", "L0:turn-39")).turns[0].content == "Other words."
        assert await tf.search("c", "note")
        assert await tf.anchors("c")
        assert await tf.notes("c")
        assert [one.tier for one in await tf.tiers("c")]
        assert await tf.relations("c", about="nobody at all") == []
        names = [tool["name"] for tool in await tf.tools("anthropic")]
        answer = await tf.handle_tool_call("c", {"type": "tool_use", "id": "1", "name": names[0], "input": {}})
        assert "marker must be" in answer["content"]
        assert (await tf.forget("c", timeout_seconds=0)).completed is False
        await asyncio.to_thread(local.settle)
        with pytest.raises(UnknownConversation):
            await tf.anchors("c")


async def test_errors_are_those_of_the_blocking_client(settings: Settings) -> None:
    async with AsyncTurnfold.from_settings(settings) as tf:
        with pytest.raises(InvalidTurn, match="unknown role"):
            await tf.append("c", {"role": "nobody", "content": "Hi."})


async def test_many_calls_share_a_bounded_number_of_threads(settings: Settings) -> None:
    async with AsyncTurnfold(settings=settings, threads=3) as tf:
        await asyncio.gather(*(tf.append(f"c-{i % 5}", TURNS[i]) for i in range(40)))
        statuses = await asyncio.gather(*(tf.status(f"c-{i}") for i in range(5)))
        assert [status.inbox for status in statuses] == [8] * 5
        assert len(tf._pool._threads) <= 3


async def test_the_loop_goes_on_while_a_call_waits(settings: Settings) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        await tf.append("c", TURNS[0])
        waiting = asyncio.create_task(tf.wait("c", timeout_seconds=0.5))
        await tf.for_tenant("other").append("c", TURNS[0])
        assert not waiting.done()
        with pytest.raises(WaitTimeout):
            await waiting


@pytest.mark.parametrize("verb", ["wait", "forget", "export"])
async def test_calls_that_wait_for_workers_hold_no_thread_meanwhile(settings: Settings, verb: str) -> None:
    async with AsyncTurnfold(settings=settings, threads=2) as tf:
        await asyncio.gather(*(tf.append(f"c-{i}", TURNS[0]) for i in range(12)))
        waiting = [asyncio.create_task(getattr(tf, verb)(f"c-{i}", timeout_seconds=30)) for i in range(12)]
        await asyncio.sleep(0.2)
        async with asyncio.timeout(25):
            await tf.append("other", TURNS[0])
            assert "note" in (await tf.context("other", budget_tokens=500)).text
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_forgetting_waits_for_the_worker_and_says_what_was_erased(settings: Settings, local: LocalWorker) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        await tf.append("c", TURNS)
        await asyncio.to_thread(local.settle)
        erasing = asyncio.create_task(tf.forget("c", timeout_seconds=90))
        await asyncio.sleep(0.1)
        assert not erasing.done()
        await asyncio.to_thread(local.worker.erase, shard_of(Address("acme", "c")))
        receipt = await erasing
        assert (receipt.completed, receipt.turns) == (True, 40)


async def test_closing_twice_is_closing_once(settings: Settings) -> None:
    tf = AsyncTurnfold(settings=settings)
    await tf.append("c", TURNS[0])
    await tf.close()
    await tf.close()
