"""Requests reach the provider even while memory is down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from support.gateway import Gateway, gateway_process
from support.provider import Provider
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold_gateway.keys.store import KeyStore
from turnfold_worker.local.redis_server import RedisServer

CHAT = "/v1/chat/completions"
BODY = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}


@pytest.fixture
def server(redis_program: None, server_folder: Path) -> Iterator[RedisServer]:
    """A Redis for this test alone, which may stop it."""
    with RedisServer(server_folder) as server:
        yield server


@pytest.fixture
def own(server: RedisServer, sqlite_url: str, provider: Provider) -> Iterator[Gateway]:
    """A gateway on that Redis, where callers need no Turnfold key."""
    settings = Settings(redis_url=server.url, database_url=sqlite_url, doorbell=False)
    with gateway_process(
        settings, TURNFOLD_GATEWAY_UPSTREAM_URL=provider.url, TURNFOLD_GATEWAY_PROXY_TENANT="acme",
        TURNFOLD_TIMEOUT_SECONDS="1", TURNFOLD_GATEWAY_PROXY_WAIT_SECONDS="0",
    ) as running:  # fmt: skip
        yield running


@pytest.mark.long
def test_requests_are_forwarded_as_they_came_while_redis_is_away_and_what_was_missed_follows(
    own: Gateway, server: RedisServer, provider: Provider
) -> None:
    headers = {"X-Turnfold-Conversation": "conv-1", "Authorization": "Bearer sk"}
    with closing(KeyStore(own.settings)) as store:
        token = str(store.create("acme", "test", ["append", "read"]))
    with httpx.Client(base_url=own.url, headers=headers, timeout=30, trust_env=False) as client:
        assert client.post(CHAT, json=BODY).headers["x-turnfold-memory"] == "on"
        server.stop()
        for with_key in ({}, {"X-Turnfold-Key": token}):
            answered = client.post(CHAT, json=BODY, headers=with_key)
            assert answered.status_code == 200
            assert answered.json()["choices"][0]["message"]["content"] == "Noted."
            assert answered.headers["x-turnfold-memory"] == "bypassed; reason=unavailable"
            assert provider.last.json == BODY
        server.start()
        more = [*BODY["messages"], {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "More."}]  # type: ignore[misc]
        wait_until(
            lambda: client.post(CHAT, json={"model": "m", "messages": more}).headers["x-turnfold-memory"] == "on",
            what="memory is asked again",
        )
        with Turnfold(redis_url=server.url, database_url=own.settings.database_url, tenant="acme") as tf:
            assert [turn.content for turn in tf.turns("conv-1")] == ["Hello?", "Noted.", "More.", "Noted."]
