"""Asyncio: the same methods as coroutines.

`AsyncTurnfold` runs each call on a bounded thread pool and never blocks the event loop.
"""

from __future__ import annotations

import asyncio

from turnfold import AsyncTurnfold
from turnfold_worker.local.stack import Stack


def test_asyncio_has_the_same_verbs(stack: Stack) -> None:
    async def talk() -> str:
        async with AsyncTurnfold(
            redis_url=stack.settings.redis_url, database_url=stack.settings.database_url, tenant="async"
        ) as turnfold:
            await turnfold.append("conv", {"role": "user", "content": "Hello from a coroutine."})
            await turnfold.wait("conv")
            return (await turnfold.context("conv", budget_tokens=200)).text

    assert "Hello from a coroutine." in asyncio.run(talk())
