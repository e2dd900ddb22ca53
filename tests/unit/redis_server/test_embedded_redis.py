from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest
import redis

from support.child_processes import wait_until_gone
from support.waiting import wait_until
from turnfold_worker.local import redis_server
from turnfold_worker.local.redis_server import RedisNotStarted, RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.processes


@pytest.fixture
def server(redis_program: None, server_folder: Path) -> Iterator[RedisServer]:
    with RedisServer(server_folder / "redis") as running:
        yield running


def test_it_answers_at_its_url_as_soon_as_start_returns(server: RedisServer) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.ping()


def test_it_keeps_everything_on_disk_and_evicts_nothing(server: RedisServer) -> None:
    wanted = {
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
        "stream-node-max-bytes": "1024",
        "save": "",
        "bind": "127.0.0.1",
    }
    with server.client() as client:
        assert {name: client.config_get(name)[name] for name in wanted} == wanted


def test_after_a_stop_it_starts_on_the_same_port_with_its_data(server: RedisServer) -> None:
    port = server.port
    with server.client() as client:
        client.set("kept", "yes")

    server.stop()
    assert not server.running
    server.start()

    assert server.port == port
    with server.client() as client:
        assert client.get("kept") == "yes"


def test_after_a_kill_it_starts_with_what_reached_the_disk(server: RedisServer) -> None:
    with server.client() as client:
        client.set("kept", "yes")
        client.execute_command("WAIT", 0, 0)
        time.sleep(1.2)  # appendfsync everysec

    server.kill()
    assert server.pid is None
    server.start()

    with server.client() as client:
        assert client.get("kept") == "yes"


def test_a_start_ends_when_the_data_is_loaded(server: RedisServer) -> None:
    with server.client() as client:
        for number in range(40):
            client.eval("for key = 1, 20000 do redis.call('SET', ARGV[1] .. key, key) end", 0, f"{number}:")
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], what="the log is written anew")

    server.kill()
    server.start()

    with server.client() as client:
        assert client.dbsize() == 800_000


@pytest.mark.usefixtures("redis_program")
def test_its_password_is_asked_for_and_is_not_in_the_list_of_processes(server_folder: Path) -> None:
    secret = 'a "quoted" \\ secret é'
    with RedisServer(server_folder / "redis", password=secret) as server:
        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
        with redis.Redis(port=server.port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        assert server.pid is not None
        assert "secret" not in " ".join(psutil.Process(server.pid).cmdline())


@pytest.mark.usefixtures("redis_program")
def test_a_folder_with_spaces_and_quotes_holds_its_data(server_folder: Path) -> None:
    folder = server_folder / 'it\'s "a" folder'
    with RedisServer(folder) as server, server.client() as client:
        client.set("a", "b")
    assert any(folder.glob("appendonly*"))


def test_two_servers_in_one_folder_are_refused(server: RedisServer, server_folder: Path) -> None:
    with pytest.raises(RedisNotStarted, match="already uses"):
        RedisServer(server_folder / "redis").start()


@pytest.mark.usefixtures("redis_program")
def test_a_port_that_is_taken_is_named(server_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(RedisNotStarted, match="is in use by another program"):
            RedisServer(server_folder / "redis", port=taken.getsockname()[1]).start()


def test_a_port_is_kept_that_no_client_is_given_while_the_server_is_down(server: RedisServer) -> None:
    assert server.port < 32_768


def test_another_server_on_the_port_is_not_taken_for_ours(server: RedisServer, server_folder: Path) -> None:
    with pytest.raises(RedisNotStarted, match="is in use by another program"):
        RedisServer(server_folder / "other", port=server.port).start()


def test_without_any_server_program_the_error_says_what_to_install(
    server_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_server.shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(redis_server, "find_spec", lambda _: None)

    with pytest.raises(RedisNotStarted, match=r"redis-server or valkey-server.*TURNFOLD_REDIS_URL"):
        RedisServer(server_folder).start()


@pytest.mark.usefixtures("redis_program")
def test_a_stop_is_safe_before_any_start_and_twice(server_folder: Path) -> None:
    server = RedisServer(server_folder / "redis")
    server.stop()
    server.start()
    server.stop()
    server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
@pytest.mark.usefixtures("redis_program")
def test_it_ends_when_the_process_that_started_it_is_killed(server_folder: Path) -> None:
    script = (
        "import sys, time, pathlib\n"
        "from turnfold_worker.local.redis_server import RedisServer\n"
        "server = RedisServer(pathlib.Path(sys.argv[1])); server.start()\n"
        "print(server.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(server_folder / "redis")], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))

        os.kill(parent.pid, signal.SIGKILL)

        wait_until_gone(server)
