"""A conversation that states a fact once, and clients of it; each framework's own package drives its adapter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from conftest import Filling, LocalWorker
from support.talk import talk_with
from turnfold import AsyncTurnfold, Settings, Turnfold

CONVERSATION = "conv-1"
FACT = "The vault door opens with the code word tangerine-41."
TURNS = 60


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone suffices: other tests cover reads on both databases."""
    return sqlite_url


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds the conversation once for each module."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.configure(CONVERSATION, settings={"segment_max_turns": 8})
        tf.append(CONVERSATION, talk_with(FACT, "frameworks", TURNS))
        make_worker().settle()

    return fill


@pytest.fixture
def seen() -> list[list[Any]]:
    """Inputs of the model, request by request."""
    return []


@pytest_asyncio.fixture
async def client(settings: Settings) -> AsyncIterator[AsyncTurnfold]:
    async with AsyncTurnfold(settings=settings) as client:
        yield client
