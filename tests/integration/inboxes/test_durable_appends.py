"""`append(…, durable=True)` returns once a replica of Redis has the turns as well, and raises an error if none has."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest

from conftest import LocalWorker, workers_of
from support.places import place
from support.server_folders import own_folder
from support.stored import stored_turns
from support.waiting import wait_until
from turnfold import AsyncTurnfold, Turnfold, Unavailable
from turnfold.contract.keys import Address
from turnfold.settings import Settings
from turnfold_worker.local.redis_server import RedisServer

TALK = "talk"
INBOX = place(Address("acme", TALK)).inbox
TURNS = [{"role": "user", "content": content} for content in ("The first is oak.", "The second is elm.")]


@pytest.fixture(scope="module")
def primary(redis_program: None) -> Iterator[RedisServer]:
    with own_folder() as folder, RedisServer(folder) as server:
        yield server


@pytest.fixture(scope="module")
def replica(primary: RedisServer) -> Iterator[RedisServer]:
    """A replica that is in sync with the primary."""
    with own_folder() as folder, RedisServer(folder) as server:
        with primary.client() as client:
            client.execute_command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        with server.client() as client:
            client.execute_command("REPLICAOF", "127.0.0.1", str(primary.port))
            wait_until(
                lambda: client.info("replication").get("master_link_status") == "up",
                what="the replica is online",
            )  # fmt: skip
        yield server


@pytest.fixture
def redis_url(primary: RedisServer) -> str:
    with primary.client() as client:
        client.flushall()
    return primary.url


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(redis_url: str, database_url: str) -> Settings:
    return Settings(redis_url=redis_url, database_url=database_url, tenant="acme", timeout_seconds=1)


def contents(local: LocalWorker) -> list[str]:
    local.drain()
    return [content for _, _, content in stored_turns(local.engine, "acme", TALK)]


def test_turns_are_in_the_replica_when_the_append_returns(
    settings: Settings, tf: Turnfold, replica: RedisServer
) -> None:
    patient = replace(settings, timeout_seconds=20)
    with Turnfold(settings=patient) as client:
        client.append(TALK, TURNS, durable=True)
        with replica.client() as copy:
            assert copy.xlen(INBOX) == 2

    async def append() -> None:
        async with AsyncTurnfold(settings=patient) as client:
            await client.append(TALK, TURNS[0], durable=True)

    asyncio.run(append())
    with replica.client() as copy:
        assert copy.xlen(INBOX) == 3


def test_a_replica_that_stands_still_is_told_of_and_the_turns_can_be_appended_again(
    tf: Turnfold, redis_url: str, database_url: str, replica: RedisServer
) -> None:
    assert replica.pid is not None
    os.kill(replica.pid, signal.SIGSTOP)
    try:
        with pytest.raises(Unavailable, match="no replica confirmed") as raised:
            tf.append(TALK, TURNS, durable=True)
        tf.append(TALK, {"role": "user", "content": "The third is ash."})
    finally:
        os.kill(replica.pid, signal.SIGCONT)
    assert "INFO replication" in raised.value.remedy

    with Turnfold(settings=replace(tf._settings, timeout_seconds=20)) as patient:
        patient.append(TALK, raised.value.turns, durable=True)

    with workers_of(redis_url, database_url) as make:
        assert contents(make()) == ["The first is oak.", "The second is elm.", "The third is ash."]


def test_without_a_replica_it_says_what_to_do(redis_program: None, settings: Settings) -> None:
    with (
        own_folder() as folder,
        RedisServer(folder) as alone,
        Turnfold(settings=replace(settings, redis_url=alone.url)) as client,
    ):
        with pytest.raises(Unavailable, match="append without `durable`"):
            client.append(TALK, TURNS, durable=True)
        assert client.append(TALK, TURNS).turn_ids
