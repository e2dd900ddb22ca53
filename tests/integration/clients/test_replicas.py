"""A read from a replica falls back to the primary for whatever the replica does not have yet."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conftest import LocalWorker
from support import places
from support.places import LAYOUT, place
from support.postgresql import PostgresqlServer
from support.server_folders import own_folder
from support.talk import talk
from turnfold import AsyncTurnfold, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.marks import StoredMark
from turnfold.database.replicas import ReplicaFirst
from turnfold.errors import UnknownConversation
from turnfold.redis.connections import connect as connect_redis
from turnfold.redis.inbox import ProducerInbox
from turnfold.settings import Settings
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.operate import migrate

TALK = "talk"
ADDRESS = Address("acme", TALK)


@dataclass
class Replica:
    """A replica of the test's database, which is updated by `catch_up` only."""

    url: str
    catch_up: Callable[[], None]


@pytest.fixture
def copied_file(sqlite_url: str, tmp_path: Path) -> Replica:
    """A copy of the SQLite file, which `catch_up` refreshes."""
    source, copy = sqlite_url.removeprefix("sqlite:///"), tmp_path / "replica.db"

    def catch_up() -> None:
        with closing(sqlite3.connect(source)) as primary, closing(sqlite3.connect(copy)) as replica:
            primary.backup(replica)

    catch_up()
    return Replica(f"sqlite:///{copy}", catch_up)


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[PostgresqlServer, PostgresqlServer]]:
    """A real PostgreSQL and its streaming replica."""
    with own_folder() as folder, own_folder() as replica_folder:
        primary = PostgresqlServer(folder)
        primary.start(fsync=False)
        migrate.upgrade(primary.create("turnfold"), shards=LAYOUT.shards)
        replica = PostgresqlServer(replica_folder, primary=primary)
        replica.start(fsync=False)
        yield primary, replica
        replica.kill()
        primary.stop()


@pytest.fixture
def streaming(servers: tuple[PostgresqlServer, PostgresqlServer]) -> Replica:
    primary, replica = servers

    def catch_up() -> None:
        replica.catch_up_with(primary)
        replica.pause_replay()

    catch_up()
    return Replica(replica.url_of("turnfold"), catch_up)


@pytest.fixture(params=["copied_file", pytest.param("streaming", marks=[pytest.mark.postgresql, pytest.mark.long])])
def replica(request: pytest.FixtureRequest) -> Replica:
    made: Replica = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def database_url(request: pytest.FixtureRequest, replica: Replica, sqlite_url: str) -> str:
    if replica.url.startswith("sqlite"):
        return sqlite_url
    primary, _ = request.getfixturevalue("servers")
    url: str = primary.url_of("turnfold")
    return url


@pytest.fixture
def settings(redis_url: str, database_url: str, replica: Replica) -> Settings:
    return Settings(
        redis_url=redis_url, database_url=database_url, read_database_url=replica.url, tenant="acme", doorbell=False
    )


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker], tf: Turnfold, replica: Replica) -> Iterator[LocalWorker]:
    """A worker that records how far conversations are stored; its data is removed after the test."""
    worker = make_worker(read_database_url=replica.url)
    yield worker
    tf.forget(TALK, timeout_seconds=0)
    worker.settle()


def tried(tf: Turnfold) -> ReplicaFirst:
    replica = tf._resources.replica()
    assert replica is not None
    return replica


def words(tf: Turnfold) -> str:
    return tf.context(TALK, budget_tokens=2_000).text


def stored(tf: Turnfold, local: LocalWorker, *contents: str) -> None:
    tf.append(TALK, [{"role": "user", "content": content} for content in contents])
    local.fold()


def test_a_replica_that_has_all_that_is_stored_is_read(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    tf.append(TALK, talk(1, 40))
    local.fold()
    replica.catch_up()

    context = tf.context(TALK, budget_tokens=500)
    verbs = [
        tf.search(TALK, talk(1, 40)[0]["content"]), tf.turns(TALK), tf.notes(TALK), tf.anchors(TALK), tf.segments(TALK),
        tf.timeline(TALK), tf.expand(TALK, context.markers[0]).text,
    ]  # fmt: skip

    assert [number for number, answer in enumerate(verbs) if not answer] == []
    assert (tried(tf).reads, tried(tf).behind) == (1 + len(verbs), 0)
    with Turnfold(settings=replace(tf._settings, read_database_url="")) as primary_alone:
        assert primary_alone.context(TALK, budget_tokens=500).text == context.text


def test_what_a_replica_lacks_is_read_from_the_primary(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    stored(tf, local, "The first word is oak.", "The second is elm.", "The third is ash.")
    replica.catch_up()
    assert "ash" in words(tf)
    assert tried(tf).behind == 0

    stored(tf, local, "The fourth is fir.", "The fifth is yew.", "The sixth is box.")

    assert {"oak.", "elm.", "ash.", "fir.", "yew.", "box."} <= set(words(tf).split())
    assert [turn.seq for turn in tf.turns(TALK)] == [1, 2, 3, 4, 5, 6]
    assert tf.search(TALK, "box")
    assert tf.expand(TALK, "L0:turns-4-6").turns
    reads = tried(tf).reads
    assert (reads, tried(tf).behind) == (1, 4)

    with Turnfold(settings=replace(tf._settings, database_url=replica.url, read_database_url="")) as replica_alone:
        assert "yew" not in words(replica_alone)

    replica.catch_up()
    assert "box" in words(tf)
    assert tried(tf).reads == reads + 1


def test_what_waits_in_the_inbox_is_read_beside_the_replica(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    stored(tf, local, "The first word is oak.")
    replica.catch_up()

    tf.append(TALK, {"role": "user", "content": "The second is elm."})

    assert {"oak.", "elm."} <= set(words(tf).split())
    assert (tried(tf).reads, tried(tf).behind) == (1, 0)


def test_words_that_were_changed_are_read_nowhere_any_more(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    tf.append(TALK, [{"role": "user", "content": "The word is oak.", "turn_id": "m-1"}])
    local.fold()
    replica.catch_up()

    tf.edit(TALK, "m-1", content="The word is elm.")
    local.settle()

    assert "elm" in words(tf)
    assert "oak" not in words(tf)


def test_a_forgotten_conversation_is_read_nowhere_any_more(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    stored(tf, local, "The first word is oak.", "The second is elm.")
    replica.catch_up()
    assert "oak" in words(tf)

    tf.forget(TALK, timeout_seconds=0)
    local.settle()

    assert "oak" not in words(tf)
    with pytest.raises(UnknownConversation):
        tf.turns(TALK)
    stored(tf, local, "The third is ash.")
    assert "ash" in words(tf)
    assert "oak" not in words(tf)


def test_without_a_mark_the_primary_is_read(tf: Turnfold, local: LocalWorker, replica: Replica) -> None:
    stored(tf, local, "The first word is oak.")
    replica.catch_up()
    stored(tf, local, "The second is elm.")
    with connect_redis(tf._settings.redis_url, timeout_seconds=5) as client:
        assert client.delete(place(ADDRESS).mark) == 1

    assert "elm" in words(tf)
    assert (tried(tf).reads, tried(tf).behind) == (0, 1)


def test_a_replica_that_is_away_costs_no_read(
    tf: Turnfold, local: LocalWorker, replica: Replica, tmp_path: Path
) -> None:
    stored(tf, local, "The first word is oak.")
    away = "sqlite:///" + str(tmp_path / "nowhere" / "replica.db")
    if not replica.url.startswith("sqlite"):
        away = "postgresql+psycopg://turnfold@127.0.0.1:1/turnfold"

    with Turnfold(settings=replace(tf._settings, read_database_url=away)) as client:
        assert [("oak" in words(client)) for _ in range(3)] == [True] * 3
        assert tried(client).reads == 0


def test_coroutines_read_a_replica_too(tf: Turnfold, settings: Settings, local: LocalWorker, replica: Replica) -> None:
    stored(tf, local, "The first word is oak.")
    replica.catch_up()

    async def read() -> tuple[str, str]:
        async with AsyncTurnfold(settings=settings) as client:
            before = await client.context(TALK, budget_tokens=2_000)
            assert tried(client._client).reads == 1
            await asyncio.to_thread(stored, tf, local, "The second is elm.")
            after = await client.context(TALK, budget_tokens=2_000)
            assert tried(client._client).behind == 1
        return before.text, after.text

    before, after = asyncio.run(read())
    assert "oak" in before
    assert "elm" in after


def test_a_mark_only_moves_on_and_is_kept_where_somebody_reads_it(redis_url: str) -> None:
    marks = [StoredMark(5, 7), StoredMark(5, 6), StoredMark(4, 9), StoredMark(5, 8), StoredMark(6, 1)]
    with connect_redis(redis_url, timeout_seconds=5) as client:
        RedisInbox(places.servers(client), lease_seconds=30, sweep_seconds=3).mark_stored({place(ADDRESS): marks[0]})
        assert client.get(place(ADDRESS).mark) is None

        inbox, seen = RedisInbox(places.servers(client), lease_seconds=30, sweep_seconds=3, keeps_marks=True), []
        for mark in marks:
            inbox.mark_stored({place(ADDRESS): mark})
            seen.append(ProducerInbox(places.servers(client)).peek(ADDRESS, newest=1).mark)

    assert seen == ["5:7", "5:7", "5:7", "5:8", "6:1"]
