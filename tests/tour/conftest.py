"""The tour runs on everything that `turnfold up` starts: Redis, worker processes, SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server_folders import own_folder
from turnfold import Turnfold
from turnfold_worker.local.stack import Stack


@pytest.hookimpl(tryfirst=True)  # before items are chosen by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder; other folders' items come here too."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.processes)


@pytest.fixture(scope="session")
def stack(redis_program: None) -> Iterator[Stack]:
    """What `turnfold up` starts."""
    environment = {"PATH": os.environ.get("PATH", "")}
    with own_folder() as folder, Stack(folder, environment=environment) as stack:
        yield stack


@pytest.fixture
def turnfold(stack: Stack, request: pytest.FixtureRequest) -> Iterator[Turnfold]:
    """A client for a tenant of its own."""
    with Turnfold(
        redis_url=stack.settings.redis_url, database_url=stack.settings.database_url, tenant=request.node.name[:200]
    ) as client:
        yield client
