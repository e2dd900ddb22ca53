"""The number of shards is stored in the database; inboxes may be spread over several Redis servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from conftest import LocalWorker, workers_of
from support.places import LAYOUT, write_layout
from support.server_folders import own_folder
from support.stored import stored_turns
from support.talk import talk
from turnfold import InvalidSettings, Turnfold, Unavailable
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.shards import Layout
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold.redis.servers import InboxServers
from turnfold.settings import Settings
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.offline import fold
from turnfold_worker.operate import migrate
from turnfold_worker.operate.doctor import Finding
from turnfold_worker.operate.doctor.servers import check_redis

NAMES = [f"conv-{number}" for number in range(12)]
ON_TWO = Layout(0, 256, 2)
"""Shards on two servers."""


@pytest.fixture(scope="module")
def pair(redis_program: None) -> Iterator[tuple[RedisServer, RedisServer]]:
    with own_folder() as one, own_folder() as other, RedisServer(one) as first, RedisServer(other) as second:
        yield first, second


@pytest.fixture
def servers(pair: tuple[RedisServer, RedisServer]) -> tuple[RedisServer, RedisServer]:
    """Two empty servers."""
    for server in pair:
        server.start()
        with server.client() as client:
            client.flushall()
    return pair


@pytest.fixture
def two_urls(servers: tuple[RedisServer, RedisServer]) -> str:
    return ",".join(server.url for server in servers)


@pytest.fixture
def on_two(sqlite_url: str, two_urls: str) -> str:
    """A database whose inboxes are on two servers."""
    write_layout(sqlite_url, ON_TWO)
    return sqlite_url


def stored(database_url: str) -> Layout:
    engine = connect(database_url, write=False, timeout_seconds=10)
    layout = Reader(engine).layout()
    engine.dispose()
    return layout


def client_of(redis_url: str, database_url: str, *, doorbell: bool = False, shards: int = 0) -> Turnfold:
    return Turnfold(
        redis_url=redis_url, database_url=database_url, tenant="acme", timeout_seconds=1.0, doorbell=doorbell,
        shards=shards,
    )  # fmt: skip


def server_of(name: str) -> int:
    return ON_TWO.server_of(ON_TWO.shard_at(Address("acme", name).point))


# Number of shards


@pytest.mark.parametrize(("asked", "shards"), [(0, 256), (64, 64)])
def test_the_first_migration_stores_how_many_shards_there_are(tmp_path: Path, asked: int, shards: int) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    migrate.upgrade(url, shards=asked)
    migrate.upgrade(url)
    assert stored(url) == Layout(0, shards)


def test_an_installation_from_before_keeps_its_sixteen(sqlite_url: str) -> None:
    engine = connect(sqlite_url, write=True, timeout_seconds=10)
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM meta WHERE key = 'shards'")
    engine.dispose()
    assert stored(sqlite_url) == Layout(0, 16)
    migrate.upgrade(sqlite_url)
    assert stored(sqlite_url) == Layout(0, 16)


def test_another_number_in_the_settings_is_refused_before_anything_is_appended(redis_url: str, sqlite_url: str) -> None:
    with pytest.raises(InvalidSettings, match=r"TURNFOLD_SHARDS is 64.*16 shards.*unset it"):
        migrate.upgrade(sqlite_url, shards=64)
    other, refused = client_of(redis_url, sqlite_url, shards=64), r"TURNFOLD_SHARDS is 64.*16 shards.*unset it"
    with other as tf, pytest.raises(InvalidSettings, match=refused):
        tf.append("c", {"role": "user", "content": "Hi."})
    with client_of(redis_url, sqlite_url, shards=LAYOUT.shards) as tf:
        assert tf.append("c", {"role": "user", "content": "Hi."}).turn_ids


def test_clients_and_workers_go_by_the_number_that_is_stored(redis_url: str, sqlite_url: str) -> None:
    write_layout(sqlite_url, Layout(0, 5))
    with client_of(redis_url, sqlite_url) as tf, workers_of(redis_url, sqlite_url) as make_worker:
        worker = make_worker()
        for name in NAMES:
            tf.append(name, {"role": "user", "content": f"This is {name}."})
        assert set(worker.worker.inbox.waiting()) <= set(range(5))
        worker.drain()
        assert [tf.status(name).stored for name in NAMES] == [1] * len(NAMES)


def test_a_sweep_asks_for_many_shards_by_a_command(redis_url: str, sqlite_url: str) -> None:
    write_layout(sqlite_url, Layout(0, 256))
    with client_of(redis_url, sqlite_url) as tf, workers_of(redis_url, sqlite_url) as make_worker:
        inbox = make_worker().worker.inbox
        tf.append("c", {"role": "user", "content": "Hi."})
        with redis.Redis.from_url(redis_url) as raw:
            raw.config_resetstat()
            waiting, expansions = inbox.waiting(), inbox.take_expansions(1)
            asked = raw.info("commandstats")["cmdstat_exists"]["calls"]
        assert len(waiting) == 1
        assert expansions == []
        # One command for each block of 16 shards, then one for each shard of a block with content.
        assert asked == 2 * 256 // 16 + 16


def test_an_append_needs_no_database_once_redis_knows_the_layout(
    redis_url: str, sqlite_url: str, tmp_path: Path
) -> None:
    with client_of(redis_url, sqlite_url) as tf:
        tf.append("c", {"role": "user", "content": "First."})
    with client_of(redis_url, f"sqlite:///{tmp_path}/nowhere/turnfold.db") as tf:
        assert tf.append("c", {"role": "user", "content": "Second."}).turn_ids
    with workers_of(redis_url, sqlite_url) as make_worker:
        assert make_worker().drain() == 2


def test_an_append_that_cannot_know_the_layout_is_refused_and_says_what_to_do(redis_url: str, tmp_path: Path) -> None:
    unknowing = client_of(redis_url, f"sqlite:///{tmp_path}/nowhere.db")
    with unknowing as tf, pytest.raises(Unavailable, match="turnfold migrate"):
        tf.append("c", {"role": "user", "content": "First."})


# Several servers


def append_all(tf: Turnfold, turns: int = 12) -> dict[str, list[dict[str, object]]]:
    talks = {name: talk(name, turns) for name in NAMES}
    for number in range(0, turns, 3):
        for name, messages in talks.items():
            tf.append(name, messages[number : number + 3])
    return talks


def test_inboxes_lie_on_two_servers_and_digests_are_those_of_one_process(two_urls: str, on_two: str) -> None:
    with client_of(two_urls, on_two) as tf, workers_of(two_urls, on_two) as make_worker:
        worker: LocalWorker = make_worker(fold_turns=4)
        talks = append_all(tf)
        assert {server_of(name) for name in NAMES} == {0, 1}
        assert [tf.status(name).inbox for name in NAMES] == [12] * len(NAMES)
        worker.settle()
        contents = {name: [message["content"] for message in messages] for name, messages in talks.items()}
        kept = {name: [turn[2] for turn in stored_turns(worker.engine, "acme", name)] for name in NAMES}
        assert kept == contents
        for name in NAMES:
            assert worker.digest(name) == fold(talks[name], conversation_id=name).digest()


def test_each_server_holds_its_own_shards_alone(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str
) -> None:
    with client_of(two_urls, on_two, doorbell=True) as tf:
        append_all(tf, turns=3)
    held, rings = [], []
    for server in servers:
        with server.client() as client:
            held.append({str(name).rpartition(":")[2] for name in client.keys("tf:*:in:*")})
            rings.append(client.zcard(keys.rung_for("turnfold.ingest")))
    assert held == [{name for name in NAMES if server_of(name) == position} for position in (0, 1)]
    assert rings == [len({ON_TWO.shard_at(Address("acme", name).point) for name in names}) for names in held]


def test_while_one_server_is_away_only_its_conversations_are_and_nothing_is_lost(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str
) -> None:
    here, there = [[name for name in NAMES if server_of(name) == position] for position in (0, 1)]
    with client_of(two_urls, on_two) as tf, workers_of(two_urls, on_two) as make_worker:
        worker: LocalWorker = make_worker()
        append_all(tf, turns=3)
        servers[1].kill()
        for name in there:
            with pytest.raises(Unavailable):
                tf.append(name, {"role": "user", "content": "Lost?", "turn_id": "again"})
        for name in here:
            tf.append(name, {"role": "user", "content": "Here.", "turn_id": "again"})
        worker.settle()
        assert [tf.status(name).stored for name in here] == [4] * len(here)
        servers[1].start()
        for name in there:
            tf.append(name, {"role": "user", "content": "Lost?", "turn_id": "again"})
        worker.settle()
        assert [tf.status(name).stored for name in NAMES] == [4] * len(NAMES)


def test_the_first_server_may_be_the_one_that_is_away(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str
) -> None:
    there = [name for name in NAMES if server_of(name) == 1]
    with client_of(two_urls, on_two) as tf:
        append_all(tf, turns=3)
    servers[0].kill()
    # New processes read the layout from the other server.
    with client_of(two_urls, on_two) as tf, workers_of(two_urls, on_two) as make_worker:
        worker: LocalWorker = make_worker()
        for name in there:
            tf.append(name, {"role": "user", "content": "There."})
        worker.settle()
        assert [tf.status(name).folded for name in there] == [4] * len(there)
        servers[0].start()
        worker.settle()
        assert sorted(tf.status(name).stored for name in NAMES) == [3] * (12 - len(there)) + [4] * len(there)


@pytest.mark.parametrize("position", [0, 1])
def test_the_doctor_names_the_server_that_is_away_and_looks_at_the_others(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str, position: int
) -> None:
    with client_of(two_urls, on_two) as tf:
        append_all(tf, turns=1)
    whole = doctors_findings(two_urls, on_two)
    assert whole["redis: layout"].detail == "256 shards on 2 servers, 2 answering"
    assert whole["redis: layout"].ok
    servers[position].kill()
    findings, name = doctors_findings(two_urls, on_two), f"{position + 1} of TURNFOLD_REDIS_URL"
    layout = findings.pop("redis: layout")
    assert layout.detail == f"256 shards on 2 servers, 1 answering; no answer from number {name}"
    assert "start the missing servers" in layout.remedy
    assert {"redis: version", "redis: persistence", "redis: eviction"} <= findings.keys()
    hidden = [findings["inbox"], findings["inbox: leases expire"]]
    assert [f"server {name}" in finding.detail for finding in hidden] == [True, True]


def test_errors_name_the_server_that_is_away(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str
) -> None:
    (there, *_) = [name for name in NAMES if server_of(name) == 1]
    message = r"did not answer while .*server 2 of TURNFOLD_REDIS_URL"
    with client_of(two_urls, on_two) as tf:
        append_all(tf, turns=1)
        servers[1].kill()
        with pytest.raises(Unavailable, match=message):
            tf.append(there, {"role": "user", "content": "Lost?"})
    with client_of(two_urls, on_two) as tf, pytest.raises(Unavailable, match=message):
        tf.append(there, {"role": "user", "content": "Lost?"})


def doctors_findings(redis_url: str, database_url: str) -> dict[str, Finding]:
    engine = connect(database_url, write=False, timeout_seconds=10)
    opened = InboxServers.of(Settings(redis_url=redis_url, database_url=database_url), Reader(engine).layout)
    findings = check_redis(opened, lease_seconds=30.0)
    opened.close()
    engine.dispose()
    return {finding.check: finding for finding in findings}


def test_a_list_in_another_order_or_too_short_is_refused(
    servers: tuple[RedisServer, RedisServer], two_urls: str, on_two: str
) -> None:
    with client_of(two_urls, on_two) as tf:
        append_all(tf, turns=3)
    turned_round = ",".join(server.url for server in reversed(servers))
    with client_of(turned_round, on_two) as tf, pytest.raises(InvalidSettings, match="has changed since"):
        append_all(tf, turns=3)
    with client_of(servers[0].url, on_two) as tf, pytest.raises(InvalidSettings, match=r"names 1 servers.* are on 2"):
        append_all(tf, turns=3)
