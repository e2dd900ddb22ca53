"""A temporarily rejected append states how long to wait, what to do, and the ids of its turns; no worker runs here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.gateway import Gateway, gateway_process, path_of
from support.server_folders import own_folder
from support.waiting import wait_until
from turnfold import Settings
from turnfold_worker.local.redis_server import RedisServer

DAY = 86_400
TURNS_A_DAY = 6
MOST_WAITING = 4


@pytest.fixture(scope="module")
def server(redis_program: None) -> Iterator[RedisServer]:
    with own_folder() as folder, RedisServer(folder) as running:
        yield running


@pytest.fixture(scope="module")
def bounded(server: RedisServer, migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway with small quotas, whose inboxes are never drained."""
    database = shutil.copy(migrated, tmp_path_factory.mktemp("bounded") / "turnfold.db")
    settings = Settings(redis_url=server.url, database_url=f"sqlite:///{database}")
    with gateway_process(
        settings, TURNFOLD_TENANT_TURNS_A_DAY=str(TURNS_A_DAY), TURNFOLD_MAX_INBOX_TURNS=str(MOST_WAITING),
        TURNFOLD_TIMEOUT_SECONDS="1",
    ) as running:  # fmt: skip
        yield running


@pytest.fixture
def client(bounded: Gateway, tenant: str) -> Iterator[httpx.Client]:
    with bounded.client(bounded.key(tenant, "append", "read")) as http:
        yield http


def append(client: httpx.Client, conversation: str, number: int, **options: Any) -> httpx.Response:
    turns = [{"role": "user", "content": f"Turn {place} of {number}."} for place in range(number)]
    return client.post(path_of(conversation, "turns"), json={"turns": turns, **options})


def waiting(client: httpx.Client, conversation: str) -> int:
    count: int = client.get(path_of(conversation, "status")).json()["inbox"]
    return count


def check_refused(answer: httpx.Response, kind: str, status: int = 429) -> dict[str, Any]:
    """Check and return the problem of an append that should be retried."""
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["type"]) == (status, f"urn:turnfold:problem:{kind}")
    assert int(answer.headers["retry-after"]) == problem["retry_after_seconds"] >= 1
    assert problem["remedy"] not in problem["detail"]
    assert "error.turns" not in problem["remedy"]
    return problem


def test_a_days_quota_says_when_the_day_ends_and_how_to_raise_it(client: httpx.Client) -> None:
    assert append(client, "one", 3).status_code == 202
    assert append(client, "two", 2).status_code == 202

    problem = check_refused(append(client, "two", 2), "quota-exceeded")
    assert problem["retry_after_seconds"] <= DAY
    assert "turnfold quota set" in problem["remedy"]
    # None of its turns was appended, and the rest of the day's quota remains usable.
    assert waiting(client, "two") == 2
    assert append(client, "two", 1).status_code == 202


def test_a_full_inbox_takes_the_same_turns_later_without_doubling_any(client: httpx.Client) -> None:
    assert append(client, "full", 3).status_code == 202

    problem = check_refused(append(client, "full", 2), "inbox-full")
    assert len(problem["turn_ids"]) == 2
    assert "workers" in problem["remedy"]
    assert problem["remedy"].endswith("resend the turns with the ids in turn_ids to avoid duplicates")
    assert waiting(client, "full") <= MOST_WAITING


def test_requests_a_minute_say_when_the_next_fits(bounded: Gateway, tenant: str) -> None:
    with bounded.client(bounded.key(tenant, "append", "read", requests_per_minute=2)) as limited:
        answers = [limited.get(path_of("one", "status")) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    problem = check_refused(answers[-1], "too-many-requests")
    assert "Retry-After" in problem["remedy"]


def test_a_durable_append_without_a_replica_is_to_be_sent_again(client: httpx.Client) -> None:
    problem = check_refused(append(client, "kept", 1, durable=True), "unavailable", status=503)
    assert "replica" in problem["detail"] + problem["remedy"]


@pytest.mark.long
def test_a_durable_append_is_repeated_when_there_is_a_replica(client: httpx.Client, server: RedisServer) -> None:
    problem = check_refused(append(client, "kept", 1, durable=True), "unavailable", status=503)
    turn = {"role": "user", "content": "Turn 0 of 1.", "turn_id": problem["turn_ids"][0]}

    with own_folder() as folder, RedisServer(folder) as replica, replica.client() as redis:
        with server.client() as primary:
            primary.execute_command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        redis.execute_command("REPLICAOF", "127.0.0.1", str(server.port))
        wait_until(
            lambda: redis.info("replication").get("master_link_status") == "up",
            what="the replica is online",
        )  # fmt: skip
        body = {"turns": [turn], "durable": True}
        wait_until(
            lambda: client.post(path_of("kept", "turns"), json=body).status_code == 202,
            what="the replica confirms",
        )  # fmt: skip
    context = client.post(path_of("kept", "context"), json={"budget_tokens": 500}).json()["text"]
    assert context.count(turn["content"]) == 1
