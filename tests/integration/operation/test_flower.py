"""Flower as an operator sees it, in a real browser while real workers fold a conversation."""

from __future__ import annotations

import base64
import json
import re
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import psutil
import pytest

from support.chromium import Chromium, find_chromium
from support.examples_folder import example
from support.server_folders import own_folder
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold_worker.local import stack as stack_module
from turnfold_worker.local.process_log import NotStarted
from turnfold_worker.local.stack import Stack

pytestmark = pytest.mark.processes

TURNS = example()


@dataclass
class Watched:
    """A stack with Flower that has folded the example."""

    stack: Stack
    url: str
    """URL of Flower, with user and password."""

    @property
    def open_url(self) -> str:
        """Return the URL without user and password."""
        parts = urlsplit(self.url)
        return f"http://{parts.hostname}:{parts.port}/"


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    with own_folder() as folder, Stack(folder, environment={}, flower=True) as stack:
        assert stack.flower is not None
        with Turnfold.from_settings(stack.settings) as tf:
            wait_until_watching(tf, stack.flower.url)
            tf.append("c", TURNS)
            tf.wait("c", timeout_seconds=90)
        yield Watched(stack, stack.flower.url)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Chromium:
    return find_chromium(tmp_path_factory.mktemp("chromium"))


class Pages:
    """Flower's pages as the browser shows them."""

    def __init__(self, watched: Watched, chromium: Chromium) -> None:
        self._url = watched.url
        self._chromium = chromium
        self._shown: dict[str, str] = {}

    def load(self, page: str) -> str:
        """Load a page; return its HTML with what its scripts have added."""
        self._shown[page] = self._chromium.page(f"{self._url}{page}")
        return self._shown[page]

    def shown(self, page: str) -> str:
        """Return a page as last loaded, or load it."""
        return self._shown.get(page) or self.load(page)


@pytest.fixture(scope="module")
def pages(watched: Watched, chromium: Chromium) -> Pages:
    return Pages(watched, chromium)


def words(html: str) -> str:
    """Return the visible text of a page."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def ask(url: str, *, method: str = "GET") -> tuple[int, bytes]:
    """Return status code and body of a request; the URL may contain user and password."""
    parts = urlsplit(url)
    request = Request(parts._replace(netloc=f"{parts.hostname}:{parts.port}").geturl(), method=method)  # noqa: S310
    if parts.username:
        credentials = base64.b64encode(f"{parts.username}:{parts.password}".encode()).decode()
        request.add_header("Authorization", f"Basic {credentials}")
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=10) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        return error.code, error.read()


def tasks_done(url: str) -> set[str]:
    """Return the names of the tasks that succeeded, as Flower knows them."""
    tasks = json.loads(ask(f"{url}api/tasks")[1]).values()
    return {task["name"] for task in tasks if task["state"] == "SUCCESS"}


def wait_until_watching(tf: Turnfold, url: str) -> None:
    """Wait until Flower receives events: it knows no names of tasks that began before that."""

    def look() -> bool:
        tf.append("first", {"role": "user", "content": "Is anybody watching?"})
        tf.wait("first", timeout_seconds=90)
        return {"turnfold.drain", "turnfold.compress"} <= tasks_done(url)

    wait_until(look, what="Flower has seen a drain and a fold from their beginning")


def test_the_browser_shows_both_workers_online(pages: Pages) -> None:
    def look() -> str | None:
        shown = words(pages.load("workers"))
        return shown if re.search(r"ingest@\S+ Online .*Total", shown) else None

    shown = wait_until(look, what="both workers are shown")
    assert re.search(r"compress@\S+ Online", shown)
    assert "Online workers 2" in shown


def test_the_browser_shows_what_each_task_did_and_to_what(watched: Watched, pages: Pages) -> None:
    with Turnfold.from_settings(watched.stack.settings) as tf:
        status = tf.status("c")

    def total(reported: str, shown: str) -> int:
        """Sum a number over the reports of a task's runs; a slow machine may need several."""
        return sum(int(count) for count in re.findall(rf"{reported}: (\d+)' SUCCESS", shown))

    def look() -> str | None:
        shown = words(pages.load("tasks"))
        return shown if total("segments", shown) >= status.segments and total("turns stored", shown) > 205 else None

    shown = wait_until(look, what=lambda: f"what {status} took is shown: {words(pages.load('tasks'))}")
    assert re.search(r"turnfold\.drain shard \d+ 'shard \d+, turns stored: \d+' SUCCESS", shown), shown
    outcome = r"'conversations folded: [\d, ]+; segments: \d+' SUCCESS"
    assert re.search(rf"turnfold\.compress (what is due|conversation \d+) {outcome}", shown), shown
    # Sweeps run every few seconds and would hide the other tasks.
    assert "turnfold.sweep" not in shown


def test_the_browser_shows_every_queue(pages: Pages) -> None:
    def look() -> str | None:
        shown = words(pages.load("broker"))
        return shown if "turnfold.ingest" in shown and "turnfold.compress" in shown else None

    assert "turnfold.maintenance" in wait_until(look, what="the queues are shown")


def test_no_page_shows_a_word_of_a_conversation_or_a_password(watched: Watched, pages: Pages) -> None:
    redis_password = urlsplit(watched.stack.settings.redis_url).password
    assert redis_password
    worker = re.search(r"ingest@[\w.-]+", words(pages.shown("workers")))
    assert worker is not None
    shown = [pages.shown(page) for page in ("workers", "tasks", "broker", f"worker/{worker[0]}")]
    shown += [ask(f"{watched.url}{page}")[1].decode() for page in ("api/tasks", "api/workers")]
    for html in shown:
        assert "Unknown worker" not in html
        assert redis_password not in html
        assert not [turn["content"] for turn in TURNS if turn["content"] in html]


def test_without_the_right_password_there_is_nothing_to_see(watched: Watched, chromium: Chromium) -> None:
    for page in ("", "workers", "tasks", "broker", "api/tasks", "api/workers"):
        for url in (watched.open_url, watched.open_url.replace("//", "//turnfold:wrong@")):
            code, body = ask(f"{url}{page}")
            assert code == 401
            assert body in {b"", b"Access denied"}
    assert "turnfold.drain" not in chromium.page(f"{watched.open_url}tasks")


def test_health_and_metrics_are_open_and_carry_no_content(watched: Watched) -> None:
    for page in ("healthcheck", "metrics"):
        code, body = ask(f"{watched.open_url}{page}")
        assert code == 200
        assert not [turn["content"] for turn in TURNS if turn["content"].encode() in body]


@pytest.mark.parametrize("action", ["task/send-task/turnfold.drain", "task/revoke/x", "worker/shutdown/ingest@x"])
def test_nobody_can_change_anything_there(watched: Watched, action: str) -> None:
    code, body = ask(f"{watched.url}api/{action}", method="POST")
    assert (code, b"Read only mode" in body) == (403, True)


def test_it_listens_on_this_machine_only_and_no_argument_holds_its_password(watched: Watched) -> None:
    flower = watched.stack.flower
    assert flower is not None
    assert flower.pid is not None
    password = urlsplit(watched.url).password
    process = psutil.Process(flower.pid)
    listening = [c.laddr for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert {address.ip for address in listening} == {"127.0.0.1"}
    assert not [p for p in psutil.process_iter(["cmdline"]) if password in " ".join(p.info["cmdline"] or [])]
    file = Path(str(watched.stack.variables["TURNFOLD_STATE_DIR"])) / "flower-password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_port_that_is_taken_is_named_and_nothing_is_left_running(server_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        stack = Stack(server_folder, environment={}, flower=True, flower_port=port)

        with pytest.raises(NotStarted, match=f"port {port} is in use"):
            stack.start()

    assert stack.redis is not None
    assert not stack.redis.running


def test_without_the_extra_everything_else_starts_and_it_is_said(
    server_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack_module, "is_installed", lambda: False)
    told: list[str] = []

    with Stack(
        server_folder, environment={}, flower=True, ingest_workers=0, compress_workers=0, tell=told.append
    ) as stack:
        assert stack.flower is None
        assert stack.as_json()["flower_url"] is None

    assert any("pip install 'turnfold-worker[flower]'" in sentence for sentence in told)


def test_a_stack_that_starts_again_is_found_at_the_same_url_with_its_history(watched: Watched) -> None:
    """Ends the stack of the tests above."""
    folder = Path(watched.stack.variables["TURNFOLD_STATE_DIR"])
    wait_until(lambda: "turnfold.compress" in tasks_done(watched.url), what="the tasks are known")
    watched.stack.stop()
    with Stack(folder, environment={}, flower=True, ingest_workers=0, compress_workers=0) as second:
        assert second.flower is not None
        assert second.flower.url == watched.url
        assert tasks_done(watched.url) >= {"turnfold.drain", "turnfold.compress"}
