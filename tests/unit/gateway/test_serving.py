"""`turnfold serve` freezes start-up objects and matches the most frequent routes first."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.applications import Starlette

from support.waiting import wait_until
from turnfold_gateway import rest
from turnfold_gateway.cli.serve import server_of


@pytest.fixture
def thawed() -> Iterator[None]:
    """Undo the freezing of the garbage collector after a test."""
    yield
    gc.unfreeze()


async def test_what_is_there_at_the_start_is_left_out_of_collections(thawed: None) -> None:
    frozen = gc.get_freeze_count()
    listener = socket.create_server(("127.0.0.1", 0))
    server = server_of(uvicorn.Config(Starlette(), log_level="warning"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await asyncio.to_thread(wait_until, lambda: server.started)
    server.should_exit = True
    await serving
    assert gc.get_freeze_count() > frozen + 1_000


def test_appends_and_contexts_are_tried_first() -> None:
    first = [route.path for route in rest.routes[:4]]
    assert "/v1/conversations/{conversation:id}/turns" in first
    assert "/v1/conversations/{conversation:id}/context" in first
