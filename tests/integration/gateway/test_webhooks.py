"""Real events of real workers reach a real server that fails, hangs and redirects."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from support.gateway import Gateway, gateway_process
from support.talk import talk
from support.waiting import wait_until
from support.webhook_guide import documented_receiver
from turnfold import Settings, Turnfold
from turnfold.contract.tasks import Task
from turnfold.database.engines import connect
from turnfold.redis.doorbell import CeleryPublisher, producer_app
from turnfold_gateway.cli import main
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.webhooks.endpoints import Endpoints


@dataclass
class Receiver:
    """Requests received by a server that answers each path with its planned statuses, then with 204."""

    url: str = ""
    planned: dict[str, list[int]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def at(self, path: str) -> list[tuple[dict[str, str], bytes]]:
        return [(headers, body) for where, headers, body in self.requests if where == path]

    def types(self, path: str) -> list[str]:
        return [json.loads(body)["type"] for _, body in self.at(path)]


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as received:
        yield received


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A server that records its requests."""
    received = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.requests.append((self.path, {name.lower(): text for name, text in self.headers.items()}, body))
            planned = received.planned.get(self.path, [])
            status = planned.pop(0) if planned else 204
            if status == 0:
                received.released.wait(60)
                return
            self.send_response(status)
            if status == 307:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        received.url = f"http://127.0.0.1:{server.server_port}"
        yield received
        received.released.set()
        server.shutdown()


@contextmanager
def telling(settings: Settings, **variables: str) -> Iterator[Gateway]:
    allowed = {
        "TURNFOLD_GATEWAY_WEBHOOK_HTTP": "on", "TURNFOLD_GATEWAY_WEBHOOK_PRIVATE": "on",
        "TURNFOLD_GATEWAY_WEBHOOK_POLL_SECONDS": "0.1", "TURNFOLD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS": "1",
    }  # fmt: skip
    with gateway_process(settings, **{**allowed, **variables}) as running:
        yield running


@pytest.fixture
def endpoints(gateway_settings: Settings, tenant: str) -> Iterator[Endpoints]:
    with closing(KeyStore(gateway_settings)) as store:
        yield Endpoints(store, tenant)


def test_events_outlive_a_gateway_and_arrive_signed_without_words(
    gateway_settings: Settings, endpoints: Endpoints, receiver: Receiver, tf: Turnfold
) -> None:
    _, secret = endpoints.add(f"{receiver.url}/all", ["folded", "erased"], allow_http=True)
    tf.append("talk", [{"role": "user", "content": f"We must use PostgreSQL {n}."} for n in range(1, 4)])
    tf.wait("talk", timeout_seconds=90)
    # No gateway has delivered yet, so the events wait in SQL.
    assert endpoints.list()[0].waiting > 0

    with telling(gateway_settings):
        wait_until(lambda: "conversation.folded" in receiver.types("/all"))
        tf.forget("talk")
        wait_until(lambda: "conversation.erased" in receiver.types("/all"))
        wait_until(lambda: endpoints.list()[0].waiting == 0)

    headers, body = receiver.at("/all")[-1]
    assert json.loads(body)["data"]["conversation_id"] == "talk"
    assert b"PostgreSQL" not in b"".join(sent for _, sent in receiver.at("/all"))
    is_genuine = documented_receiver()
    assert is_genuine(secret, headers, body)
    assert not is_genuine(secret, headers, body + b" ")
    assert not is_genuine(secret, {**headers, "webhook-timestamp": str(int(time.time()) - 999)}, body)


def test_an_expiry_is_delivered_with_its_last_turn(
    gateway_settings: Settings, endpoints: Endpoints, receiver: Receiver, tf: Turnfold, tenant: str
) -> None:
    _, secret = endpoints.add(f"{receiver.url}/expired", ["expired"], allow_http=True)
    tf.append("talk", talk("old", 120))
    tf.wait("talk", timeout_seconds=90)
    assert tf.status("talk").segments > 1
    age_words(gateway_settings, tenant)

    with telling(gateway_settings), closing(publisher_to(gateway_settings)) as publisher:
        publisher.publish(Task.EXPIRE, expires_seconds=60)
        wait_until(lambda: receiver.types("/expired") == ["conversation.expired"])
        publisher.publish(Task.EXPIRE, expires_seconds=60)
        wait_until(lambda: endpoints.list()[0].waiting == 0)

    ((headers, body),) = receiver.at("/expired")
    told = json.loads(body)["data"]
    assert told["conversation_id"] == "talk"
    assert documented_receiver()(secret, headers, body)
    assert "[expired]" in tf.expand("talk", "L0:1").text
    words = [turn.content for turn in tf.expand("talk", "L0:turns-1-120").turns]
    assert [bool(said) for said in words] == [seq > told["last_turn"] for seq in range(1, 121)]


def age_words(settings: Settings, tenant: str) -> None:
    """Let a tenant keep words for a week, and make all its segments older."""
    engine = connect(settings.database_url, write=True, timeout_seconds=30)
    with engine.begin() as connection:
        connection.execute(
            text("INSERT INTO tenant_quota (tenant, retention_days) VALUES (:tenant, 7)"), {"tenant": tenant}
        )
        mine = {"tenant": tenant, "age": 10 * 86_400_000}
        connection.execute(
            text(
                "UPDATE node SET closed_at = closed_at - :age WHERE height = 0 AND conversation IN "
                "(SELECT id FROM conversation WHERE tenant = :tenant)"
            ),
            mine,
        )
        connection.execute(
            text("UPDATE conversation SET words_since = words_since - :age WHERE tenant = :tenant"), mine
        )
    engine.dispose()


def publisher_to(settings: Settings) -> CeleryPublisher:
    return CeleryPublisher(producer_app(settings.redis_url, timeout_seconds=5))


def test_failures_are_tried_again_and_neither_hangs_nor_redirects_mislead(
    gateway_settings: Settings, endpoints: Endpoints, receiver: Receiver
) -> None:
    receiver.planned |= {"/fails": [500, 500], "/hangs": [0], "/redirects": [307]}
    for path in ("/fails", "/hangs", "/redirects"):
        endpoint, _ = endpoints.add(receiver.url + path, ["folded"], allow_http=True)
        endpoints.test(endpoint)

    with telling(gateway_settings):
        wait_until(lambda: [row.waiting for row in endpoints.list()] == [0, 0, 0])

    tries = {path: receiver.at(path) for path in ("/fails", "/hangs", "/redirects", "/elsewhere")}
    assert {path: len(requests) for path, requests in tries.items()} == {
        "/fails": 3, "/hangs": 2, "/redirects": 2, "/elsewhere": 0,
    }  # fmt: skip
    assert len({headers["webhook-id"] for headers, _ in tries["/fails"]}) == 1


def test_receivers_that_never_answer_hold_up_nobody_else(gateway_settings: Settings, tenant: str) -> None:
    with receiving() as silent, closing(KeyStore(gateway_settings)) as store:
        slow, quick = Endpoints(store, tenant), Endpoints(store, f"{tenant}-2")
        for number in range(8):
            silent.planned[f"/never/{number}"] = [0] * 100
            endpoint, _ = slow.add(f"{silent.url}/never/{number}", ["folded"], allow_http=True)
            for _ in range(20):
                slow.test(endpoint)
        for endpoints, path in ((slow, "/brother"), (quick, "/other")):
            endpoint, _ = endpoints.add(silent.url + path, ["folded"], allow_http=True)
            endpoints.test(endpoint)

        with telling(gateway_settings, TURNFOLD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS="30"):
            wait_until(lambda: silent.at("/other"), timeout_seconds=25)
            # Another endpoint of the same tenant waits for the slow ones: a tenant delays only itself.
            held = [path for path, _, _ in silent.requests if path.startswith("/never")]
            silent.released.set()
            silent.planned.clear()
            wait_until(lambda: silent.at("/brother"))

    assert 0 < len(held) <= 16
    assert max(held.count(path) for path in held) <= 8


def test_private_addresses_are_refused_and_the_delivery_is_given_up(
    gateway_settings: Settings, endpoints: Endpoints, receiver: Receiver
) -> None:
    endpoint, _ = endpoints.add(f"{receiver.url}/private", ["folded"], allow_http=True)
    endpoints.test(endpoint)

    refusing = {"TURNFOLD_GATEWAY_WEBHOOK_PRIVATE": "off", "TURNFOLD_GATEWAY_WEBHOOK_ROUNDS": "1"}
    with telling(gateway_settings, **refusing):
        wait_until(lambda: endpoints.list()[0].given_up == 1)

    assert (receiver.at("/private"), endpoints.list()[0].waiting) == ([], 0)


def test_the_command_adds_lists_tests_and_removes(gateway_settings: Settings, tenant: str) -> None:
    variables = {"TURNFOLD_DATABASE_URL": gateway_settings.database_url, "TURNFOLD_TENANT": tenant}

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["webhooks", *arguments], env=variables)

    added = json.loads(run("add", "https://hooks.example.com/x", "--event", "folded", "--json").stdout)
    assert run("test", added["id"]).exit_code == 0
    listed = run("list", "--json").stdout
    assert [(row["events"], row["waiting"]) for row in json.loads(listed)] == [(["folded"], 1)]
    assert added["secret"] not in listed
    assert [run("remove", added["id"]).exit_code for _ in range(2)] == [0, 1]
    refused = run("add", "http://hooks.example.com/x")
    assert (refused.exit_code, "https://" in refused.output) == (2, True)
