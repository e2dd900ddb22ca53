"""Inboxes are resharded while clients append and workers run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from conftest import LocalWorker, workers_of
from support.places import LAYOUT
from support.server_folders import own_folder
from support.stored import stored_turns
from turnfold import InvalidInput, InvalidSettings, Turnfold, Unavailable, UnknownReference
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.shards import Layout
from turnfold.contract.tables import MetaRow, table
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold.redis.servers import InboxServers
from turnfold_worker.cli import main
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import reshard
from turnfold_worker.operate.doctor.servers import check_redis
from turnfold_worker.settings import WorkerSettings

NAMES = [f"conv-{number}" for number in range(12)]


@pytest.fixture(scope="module")
def second_server(redis_program: None) -> Iterator[RedisServer]:
    with own_folder() as folder, RedisServer(folder) as server:
        yield server


class Installation:
    """A worker and any number of clients, on one server or two."""

    def __init__(self, redis_url: str, database_url: str, worker: LocalWorker) -> None:
        self.redis_url, self.database_url, self.worker = redis_url, database_url, worker

    def client(self) -> Turnfold:
        return Turnfold(redis_url=self.redis_url, database_url=self.database_url, tenant="acme", timeout_seconds=5.0)

    @contextmanager
    def servers(self) -> Iterator[InboxServers]:
        engine = connect(self.database_url, write=False, timeout_seconds=10)
        settings = WorkerSettings(redis_url=self.redis_url, database_url=self.database_url)
        opened = InboxServers.of(settings, Reader(engine).layout)
        yield opened
        opened.close()
        engine.dispose()

    def begin(self, shards: int, on_servers: int | None = None) -> Iterator[int]:
        """Start a reshard that advances with each `next`, as the command's process does."""
        with self.servers() as servers:
            plan = reshard.planned(self.worker.engine, servers, shards=shards, on_servers=on_servers)
            assert plan is not None
            yield from reshard.reshard(
                plan, engine=self.worker.write_engine, servers=servers, publisher=self.worker.messages
            )

    def reshard(self, shards: int, on_servers: int | None = None) -> None:
        """Run a whole reshard with the worker at work."""
        for _ in self.begin(shards, on_servers):
            self.worker.fold()

    def contents(self, name: str) -> list[str]:
        return [str(turn[2]) for turn in stored_turns(self.worker.engine, "acme", name)]

    def layout(self) -> Layout:
        with self.servers() as servers:
            assert servers.stored_layout() == servers.layout(fresh=True)
            return servers.layout()


@pytest.fixture(
    params=[
        pytest.param(1, id="on-one-server", marks=pytest.mark.long),
        pytest.param(2, id="to-a-second-server"),
    ]
)
def installation(
    request: pytest.FixtureRequest, redis_url: str, second_server: RedisServer, sqlite_url: str
) -> Iterator[Installation]:
    with second_server.client() as client:
        client.flushall()
    urls = ",".join([redis_url, second_server.url][: request.param])
    with workers_of(urls, sqlite_url) as make_worker:
        yield Installation(urls, sqlite_url, make_worker())


def append(tf: Turnfold, name: str, number: int) -> None:
    tf.append(name, {"role": "user", "content": f"Turn {number}.", "turn_id": f"t{number}"})


def test_nothing_is_lost_doubled_or_out_of_order_at_any_step(installation: Installation) -> None:
    with installation.client() as sleeper, installation.client() as tf:
        for name in NAMES:
            append(sleeper, name, 0)
        steps = installation.begin(64)
        assert next(steps) == len(NAMES)
        # The sleeper already knows the old layout; the other client reads it now.
        for number, client in enumerate([sleeper, tf, sleeper], start=1):
            for name in NAMES:
                append(client, name, number)
        expected = [f"Turn {number}." for number in range(4)]
        assert [[turn.content for turn in tf.turns(name)] for name in NAMES] == [expected] * len(NAMES)
        assert [sleeper.status(name).inbox for name in NAMES] == [4] * len(NAMES)
        for _ in steps:
            installation.worker.fold()
        append(sleeper, NAMES[0], 4)
        installation.worker.fold()
        assert installation.contents(NAMES[0]) == [*expected, "Turn 4."]
        assert [installation.contents(name) for name in NAMES[1:]] == [expected] * (len(NAMES) - 1)
    servers = installation.redis_url.count(",") + 1
    assert installation.layout() == Layout(1, 64, servers)


def test_what_came_later_waits_for_what_came_before(installation: Installation) -> None:
    with installation.client() as tf:
        append(tf, "c", 0)
        steps = installation.begin(64)
        next(steps)
        append(tf, "c", 1)
        with installation.servers() as servers:
            layout = servers.layout()
        assert layout.target is not None
        later = layout.target.shard_at(Address("acme", "c").point)
        installation.worker.worker.drain(later)
        assert installation.contents("c") == []
        for _ in steps:
            installation.worker.fold()
        assert installation.contents("c") == ["Turn 0.", "Turn 1."]


@pytest.mark.parametrize("died_after", ["meta", "publish", "close", "empty", "remove", "finish"])
def test_a_command_that_died_at_any_step_is_run_again(
    installation: Installation, died_after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_step = {
        "meta": (InboxServers, "publish"), "publish": (reshard, "_copy_bounded"), "close": (reshard, "_emptied"),
        "empty": (reshard, "_remove_rest"), "remove": (reshard, "_finish"),
    }  # fmt: skip

    class Died(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Died

    with installation.client() as tf, monkeypatch.context() as patch:
        for name in NAMES:
            append(tf, name, 0)
        if died_after == "finish":
            real = InboxServers.publish
            patch.setattr(
                InboxServers, "publish", lambda of, layout, *, servers: real(of, layout, servers=servers)
                if layout.target else die(),
            )  # fmt: skip
        else:
            patch.setattr(*next_step[died_after], die)
        with pytest.raises(Died):
            installation.reshard(64)
        for name in NAMES:
            append(tf, name, 1)
    with installation.client() as tf:
        for name in NAMES:
            append(tf, name, 2)
        installation.worker.fold()
        assert [installation.contents(name) for name in NAMES] == [[f"Turn {n}." for n in range(3)]] * len(NAMES)
        installation.reshard(64)
        append(tf, NAMES[0], 3)
        installation.worker.fold()
    assert installation.contents(NAMES[0]) == [f"Turn {number}." for number in range(4)]
    assert installation.layout()[:2] == (1, 64)


def test_what_was_forgotten_in_a_reshard_stays_forgotten_and_what_comes_after_it_is_kept(
    installation: Installation,
) -> None:
    with installation.client() as tf:
        for name in NAMES:
            append(tf, name, 0)
        installation.worker.fold()
        for name in NAMES:
            append(tf, name, 1)
        tf.forget(NAMES[0], timeout_seconds=0)
        append(tf, NAMES[0], 5)
        steps = installation.begin(64)
        next(steps)
        append(tf, NAMES[0], 6)
        append(tf, NAMES[1], 2)
        tf.forget(NAMES[1], timeout_seconds=0)
        append(tf, NAMES[1], 7)
        assert [turn.content for turn in tf.turns(NAMES[1])] == ["Turn 7."]
        for _ in steps:
            installation.worker.fold()
        installation.worker.fold()
        assert tf.forget(NAMES[2], timeout_seconds=0).inbox_turns == 0
    assert installation.contents(NAMES[0]) == ["Turn 5.", "Turn 6."]
    assert installation.contents(NAMES[1]) == ["Turn 7."]
    assert installation.contents(NAMES[3]) == ["Turn 0.", "Turn 1."]


def test_kept_contexts_are_found_in_a_reshard_and_end_with_it_or_with_what_they_quote(
    installation: Installation,
) -> None:
    with installation.client() as tf:
        for name in NAMES[:2]:
            append(tf, name, 0)
        quoted, other = [tf.context(name, budget_tokens=500).reference() for name in NAMES[:2]]
        steps = installation.begin(64)
        next(steps)
        later = tf.context(NAMES[0], budget_tokens=400).reference()
        assert "Turn 0." in tf.resolve(quoted).text
        assert "Turn 0." in tf.resolve(later).text
        tf.edit(NAMES[0], "t0", content="Other words.")
        for reference in (quoted, later):
            with pytest.raises(UnknownReference):
                tf.resolve(reference)
        assert "Turn 0." in tf.resolve(other).text
        for _ in steps:
            installation.worker.fold()
        with pytest.raises(UnknownReference, match="make the context again"):
            tf.resolve(other)


def test_a_closed_shard_keeps_nothing_but_its_mark(installation: Installation) -> None:
    with installation.client() as tf:
        for name in NAMES:
            append(tf, name, 0)
            tf.context(name, budget_tokens=500)
        installation.reshard(64)
        for name in NAMES:
            append(tf, name, 1)
    with installation.servers() as servers:
        names = {name.decode() for name in servers.home.scan_iter(match="tf:{*}:*")}
    old = {name for name in names if name.startswith("tf:{") and name[4:6].isdigit() and "." not in name.split("}")[0]}
    assert {name.split("}:")[1] for name in old} == {"closed"}
    assert len(old) == LAYOUT.shards


def test_doctor_tells_of_a_reshard_under_way_and_of_one_that_redis_does_not_know(installation: Installation) -> None:
    with installation.client() as tf, installation.servers() as servers:
        append(tf, "c", 0)
        steps = installation.begin(64)
        next(steps)
        (layout,) = [of for of in check_redis(servers, lease_seconds=60) if of.check == "redis: layout"]
        assert layout.ok
        assert "a reshard to 64 shards" in layout.detail
        servers.home.set(keys.LAYOUT, f"0 {LAYOUT.shards} 1")
        (layout,) = [of for of in check_redis(servers, lease_seconds=60) if of.check == "redis: layout"]
        assert not layout.ok
        assert "turnfold reshard" in str(layout.remedy)


def test_a_database_from_before_a_reshard_is_told_what_redis_says(installation: Installation) -> None:
    with installation.client() as tf:
        append(tf, "c", 0)
    installation.reshard(64)
    servers = installation.redis_url.count(",") + 1
    with installation.worker.write_engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM meta WHERE key IN ('shards_generation', 'redis_servers')")
        connection.exec_driver_sql(f"UPDATE meta SET value = '{LAYOUT.shards}' WHERE key = 'shards'")
    with pytest.raises(AssertionError):
        installation.layout()
    installation.reshard(64)
    assert installation.layout() == Layout(1, 64, servers)


def test_what_cannot_be_done_is_refused_and_changes_nothing(installation: Installation) -> None:
    servers_wanted = installation.redis_url.count(",") + 2
    with pytest.raises(InvalidSettings, match=r"list all of them, new ones last"):
        next(installation.begin(64, servers_wanted))
    with pytest.raises(InvalidInput, match="1 to 4096"):
        next(installation.begin(5_000))
    assert installation.layout() == LAYOUT
    with installation.client() as tf:
        append(tf, "c", 0)
    next(installation.begin(64))
    with pytest.raises(InvalidInput, match=r"64 shards.*in progress.*to finish it"):
        next(installation.begin(32))


def test_without_workers_it_waits_and_says_what_to_do(installation: Installation) -> None:
    with installation.client() as tf, installation.servers() as servers:
        append(tf, "c", 0)
        plan = reshard.planned(installation.worker.engine, servers, shards=64, on_servers=None)
        assert plan is not None
        steps = reshard.reshard(
            plan, engine=installation.worker.write_engine, servers=servers, publisher=installation.worker.messages,
            most_seconds=0,
        )  # fmt: skip
        next(steps)
        with pytest.raises(Unavailable, match=r"1 conversations are still in.*start workers"):
            next(steps)
        append(tf, "c", 1)
        assert tf.status("c").inbox == 2


def test_the_command_says_what_it_would_do_and_did(redis_url: str, sqlite_url: str) -> None:
    urls = ["--redis-url", redis_url, "--database-url", sqlite_url, "reshard", "--json"]
    plan = {
        "from": {"shards": LAYOUT.shards, "servers": 1}, "to": {"shards": 64, "servers": 1}, "resumes": False,
        "conversations": 0, "entries": 0,
    }  # fmt: skip
    answers = [CliRunner().invoke(main, [*urls, *more]) for more in (["64", "--dry-run"], ["64"], [])]
    assert [answer.exit_code for answer in answers] == [0, 0, 0]
    assert [json.loads(answer.stdout) for answer in answers] == [
        {"done": False, "plan": plan}, {"done": True, "plan": plan}, {"done": True, "plan": None},
    ]  # fmt: skip


def test_a_new_database_uses_all_servers_that_are_listed(
    redis_url: str, second_server: RedisServer, tmp_path: Path
) -> None:
    one, two = f"sqlite:///{tmp_path / 'one.db'}", f"sqlite:///{tmp_path / 'two.db'}"
    for database_url, listed in ((one, redis_url), (two, f"{redis_url},{second_server.url}")):
        answer = CliRunner().invoke(main, ["--redis-url", listed, "--database-url", database_url, "migrate"])
        assert answer.exit_code == 0, answer.output

    layouts = []
    for database_url in (one, two):
        engine = connect(database_url, write=False, timeout_seconds=10)
        meta = table(MetaRow)
        with engine.connect() as connection:
            rows = {row.key: row.value for row in connection.execute(select(meta))}
        engine.dispose()
        layouts.append(Layout.from_meta(rows))

    assert [layout.servers for layout in layouts] == [1, 2]


def test_doctor_tells_of_a_server_that_is_listed_and_not_used(
    redis_url: str, second_server: RedisServer, sqlite_url: str
) -> None:
    listed = ["--redis-url", f"{redis_url},{second_server.url}", "--database-url", sqlite_url]
    answer = CliRunner().invoke(main, [*listed, "doctor", "--json"])
    (layout,) = [finding for finding in json.loads(answer.stdout)["findings"] if finding["check"] == "redis: layout"]

    assert layout["ok"]
    assert "lists 2: run `turnfold reshard`" in layout["detail"]
