"""When Redis answers with errors, ours name the cause and the remedy, no turn is lost, and the doctor still works."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from support.places import place, servers
from turnfold import Turnfold, Unavailable
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.cli import main
from turnfold_worker.errors import StoreAway
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.ports.messages import Claim

pytestmark = pytest.mark.processes

TURN = {"role": "user", "content": "Nobody may lose this."}
Refuse = Callable[[redis.Redis], object]


@pytest.fixture
def server(redis_program: None, server_folder: Path) -> Iterator[RedisServer]:
    with RedisServer(server_folder / "redis") as running:
        yield running


def _full(client: redis.Redis) -> None:
    client.config_set("maxmemory", "1")


def _replica(client: redis.Redis) -> None:
    client.execute_command("REPLICAOF", "127.0.0.1", "1")


def _shut_out(client: redis.Redis) -> None:
    client.execute_command("ACL", "SETUSER", "default", "-xadd", "-set")


REFUSALS: dict[str, tuple[Refuse, str]] = {
    "full": (_full, r"out of memory: raise maxmemory, or start workers"),
    "replica": (_replica, "a read-only replica: name its primary in TURNFOLD_REDIS_URL"),
    "shut out": (_shut_out, r"the user lacks permission for this command: correct the user's ACL"),
}
each_refusal = pytest.mark.parametrize(("refuse", "says"), REFUSALS.values(), ids=REFUSALS)


@each_refusal
def test_an_append_that_is_refused_says_why_and_gives_the_turns_back(
    server: RedisServer, sqlite_url: str, refuse: Refuse, says: str
) -> None:
    with Turnfold(redis_url=server.url, database_url=sqlite_url) as tf, server.client() as client:
        tf.append("c", TURN)
        refuse(client)
        with pytest.raises(Unavailable, match=says) as raised:
            tf.append("c", TURN)

    assert "user_script" not in str(raised.value)
    assert [turn["content"] for turn in raised.value.turns] == [TURN["content"]]


@each_refusal
def test_a_worker_says_why_it_is_refused(server: RedisServer, refuse: Refuse, says: str) -> None:
    with server.client() as client:
        refuse(client)
        inbox = RedisInbox(servers(client), lease_seconds=30, sweep_seconds=3)
        with pytest.raises(StoreAway, match=says):
            inbox.ring_bell(0)
        assert not client.exists(keys.bell(0))


CLAIM = Claim(place(Address("default", "c")), "1", "1")


@pytest.mark.parametrize(
    "ask",
    [
        lambda inbox: inbox.claim([0], 1), lambda inbox: inbox.read([CLAIM], 1), lambda inbox: inbox.waiting(),
        lambda inbox: inbox.forgotten(0, 1), lambda inbox: inbox.erased(CLAIM, {}), lambda inbox: inbox.remnants(),
        lambda inbox: inbox.finish([(CLAIM, None)]), lambda inbox: inbox.start_sweep(),
        lambda inbox: inbox.take_expansions(1),
    ],
)  # fmt: skip
def test_a_worker_whose_redis_is_away_says_so_of_each_question(ask: Callable[[RedisInbox], object]) -> None:
    with connect_redis("redis://127.0.0.1:1/0", timeout_seconds=0.2) as nobody:
        inbox = RedisInbox(servers(nobody), lease_seconds=30, sweep_seconds=3)
        with pytest.raises(StoreAway, match="Redis did not answer"):
            ask(inbox)


@pytest.mark.parametrize("refuse", [_full, _replica], ids=["full", "replica"])
def test_status_and_doctor_look_at_a_redis_that_refuses_writes(
    server: RedisServer, sqlite_url: str, refuse: Refuse
) -> None:
    with Turnfold(redis_url=server.url, database_url=sqlite_url) as tf, server.client() as client:
        tf.append("c", TURN)
        refuse(client)

    urls = ("--redis-url", server.url, "--database-url", sqlite_url)
    status = CliRunner().invoke(main, [*urls, "status", "--json"])
    doctor = CliRunner().invoke(main, [*urls, "doctor", "--json"])

    assert status.exit_code == 0, status.output
    assert json.loads(status.stdout)["workers"] == []
    assert doctor.exit_code == 1, doctor.output
    findings = {finding["check"]: finding for finding in json.loads(doctor.stdout)["findings"]}
    assert findings["inbox: appended turns are stored"]["detail"].startswith("1 entries wait")
    broker = findings["broker"]
    assert not broker["ok"]
    assert "out of memory" in broker["detail"] or "read-only replica" in broker["detail"]
