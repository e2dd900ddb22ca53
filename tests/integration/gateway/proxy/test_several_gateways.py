"""Several gateways forward a conversation exactly as a single one does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from openai import OpenAI

from support.gateway import Gateway, gateway_process
from support.provider import Provider, Reply, Sent
from turnfold import Settings, Turnfold, UnknownReference
from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.fold_points import FoldPoint, FoldPoints
from turnfold.chat_history.keeper import HistoryKeeper
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.proxy.pauses import Pauses
from turnfold_worker.local.local_port import free_port


@pytest.fixture(scope="module")
def second(gateway_settings: Settings, running_provider: Provider) -> Iterator[Gateway]:
    """Another gateway on the same Redis and database."""
    with gateway_process(gateway_settings, TURNFOLD_GATEWAY_UPSTREAM_URL=running_provider.url) as running:
        yield running


def long_answer(sent: Sent) -> Reply:
    number = len(sent.items)
    return Reply(text=f"Answer {number}: service {number} listens on port {7000 + number}. " + "It was measured. " * 40)


def ask(gateway: Gateway, key: str, history: list[dict[str, Any]], number: int) -> None:
    headers = {"X-Turnfold-Key": key, "X-Turnfold-Conversation": "conv-1", "X-Turnfold-Budget": "3000"}
    history.append({"role": "user", "content": f"Question {number}: which port has service {number}?"})
    with OpenAI(base_url=f"{gateway.url}/v1", api_key="sk", default_headers=headers, max_retries=0) as client:
        reply = client.chat.completions.create(model="m", messages=history)  # type: ignore[call-overload]
    history.append(reply.choices[0].message.model_dump(exclude_none=True))


@pytest.mark.long
def test_a_conversation_has_one_block_whichever_gateway_forwards_it(
    provider: Provider, proxy: Gateway, second: Gateway, key: str, tf: Turnfold
) -> None:
    provider.choose = long_answer
    history: list[dict[str, Any]] = []
    for number in range(20):
        ask(proxy, key, history, number)
    tf.wait("conv-1", timeout_seconds=90)
    # The first gateway makes a block of folded turns, and the other one continues after it.
    ask(proxy, key, history, 20)
    blocks = []
    for number in range(21, 25):
        ask(second if number % 2 else proxy, key, history, number)
        blocks.append(provider.last.items[0]["content"])
    assert blocks[0].startswith("[memory ")
    # Two turns of 170 tokens a call: at most one new block is due in four calls.
    assert len(set(blocks)) <= 2
    assert sum(earlier != later for earlier, later in pairwise(blocks)) <= 1


async def test_a_fold_point_ends_with_what_its_block_tells(gateway_settings: Settings, tf: Turnfold) -> None:
    tf.append("conv-1", [{"role": "user", "content": "We must use PostgreSQL.", "turn_id": "m-1"}])
    tf.wait("conv-1", timeout_seconds=90)
    reference = tf.context("conv-1", budget_tokens=500, query=False).reference()
    async with AsyncTurnfold.from_settings(gateway_settings) as client:
        memory = HistoryKeeper().memory(client.for_tenant(tf.tenant), "conv-1")
        points, elsewhere = FoldPoints(wait_seconds=0), FoldPoints(wait_seconds=0)
        await points.keep(memory, FoldPoint(reference, "m-1"))
        assert await elsewhere.find(memory) == FoldPoint(reference, "m-1")
        tf.forget("conv-1")
        assert await elsewhere.find(memory) is None
        # A gateway that read the block before it was forgotten cannot store it again.
        await points.keep(memory, FoldPoint(reference, "m-1"))
        assert await elsewhere.find(memory) is None
    with pytest.raises(UnknownReference):
        tf.resolve(reference)


async def test_a_pause_is_of_one_tenant_and_known_to_every_gateway(gateway_settings: Settings, tenant: str) -> None:
    cells = ServedCells(gateway_settings)
    here, elsewhere = Pauses(cells), Pauses(cells)
    await here.begin(tenant)
    assert await here.is_on(tenant)
    assert await elsewhere.is_on(tenant)
    assert not await here.is_on(f"{tenant}-2")
    assert not await elsewhere.is_on(f"{tenant}-2")
    await cells.close()


async def test_a_pause_is_kept_here_while_redis_is_away() -> None:
    cells = ServedCells(Settings(redis_url=f"redis://127.0.0.1:{free_port()}"))
    pauses = Pauses(cells)
    assert await pauses.is_on("acme")
    await pauses.begin("globex")
    assert await pauses.is_on("globex")
    await cells.close()
