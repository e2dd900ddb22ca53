"""Fixtures of the tour, which runs against everything `turnfold up` starts: Redis, worker processes, SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server_folders import own_folder
from turnfold import Turnfold
from turnfold_worker.local.stack import Stack


@pytest.hookimpl(tryfirst=True)  # before pytest deselects tests by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; the hook also receives those of other folders."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.processes)


@pytest.fixture(scope="session")
def stack(redis_program: None) -> Iterator[Stack]:
    """The servers and workers that `turnfold up` starts."""
    environment = {"PATH": os.environ.get("PATH", "")}
    with own_folder() as folder, Stack(folder, environment=environment) as stack:
        yield stack


@pytest.fixture
def turnfold(stack: Stack, request: pytest.FixtureRequest) -> Iterator[Turnfold]:
    """A client whose tenant is named after the test."""
    with Turnfold(
        redis_url=stack.settings.redis_url, database_url=stack.settings.database_url, tenant=request.node.name[:200]
    ) as client:
        yield client
