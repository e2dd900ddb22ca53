"""Webhooks over real TLS, by competing gateways, for jobs that a real model server completed or rejected."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import trustme

from conftest import LocalWorker, refinery_of
from support.gateway import gateway_process
from support.waiting import wait_until
from turnfold import InvalidSettings, Settings, Turnfold
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.settings import GatewaySettings
from turnfold_gateway.webhooks.deliveries import Outbox
from turnfold_gateway.webhooks.delivering import deliver, tls_context
from turnfold_gateway.webhooks.endpoints import Endpoints
from turnfold_gateway.webhooks.sending import NotAcceptedError, send
from turnfold_worker.testing import model_server

ALLOWED = {"webhook_private": True, "webhook_timeout_seconds": 5.0}


@dataclass
class TlsServer:
    """A server whose certificate is for `localhost`, or for another name."""

    port: int
    ids: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}/hook"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    return str(file)


def serving(authority: trustme.CA, name: str, stack: ExitStack) -> TlsServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.ids.append(self.headers["webhook-id"])
            received.types.append(json.loads(body)["type"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    # A client that aborts the handshake is no error of the server.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    received = TlsServer(server.server_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    stack.callback(server.shutdown)
    return received


@pytest.fixture
def receiver(authority: trustme.CA) -> Iterator[TlsServer]:
    with ExitStack() as stack:
        yield serving(authority, "localhost", stack)


@pytest.fixture
def endpoints(gateway_settings: Settings, tenant: str) -> Iterator[Endpoints]:
    with closing(KeyStore(gateway_settings)) as store:
        yield Endpoints(store, tenant)


async def sent(url: str, ca_file: str) -> None:
    async with httpx.AsyncClient(trust_env=False, verify=tls_context(ca_file)) as client:
        await send(client, url, "whsec_c2VjcmV0", "msg-1", b'{"type": "test"}', settings=GatewaySettings(**ALLOWED))


async def test_a_host_is_believed_by_its_name_though_it_is_called_by_its_address(
    receiver: TlsServer, ca_file: str
) -> None:
    await sent(receiver.url, ca_file)
    assert receiver.ids == ["msg-1"]


@pytest.mark.parametrize(("name", "is_trusted"), [("localhost", False), ("elsewhere.example", True)])
async def test_a_host_with_a_wrong_certificate_is_sent_nothing(
    authority: trustme.CA, ca_file: str, name: str, *, is_trusted: bool
) -> None:
    with ExitStack() as stack:
        receiver = serving(authority, name, stack)
        with pytest.raises(NotAcceptedError, match="ConnectError"):
            await sent(receiver.url, ca_file if is_trusted else "")
        assert receiver.ids == []


def test_a_file_that_holds_no_certificates_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.write_text("no certificate")
    for file in (empty, tmp_path / "missing.pem"):
        with pytest.raises(InvalidSettings, match="TURNFOLD_GATEWAY_WEBHOOK_CA_FILE"):
            GatewaySettings(webhook_ca_file=str(file))


async def deliver_due(client: httpx.AsyncClient, outbox: Outbox, wanted: GatewaySettings) -> int:
    """Deliver due events up to the limit, and return how many were tried."""
    deliveries = await asyncio.to_thread(outbox.claim)
    await asyncio.gather(*(deliver(client, outbox, delivery, wanted) for delivery in deliveries))
    return len(deliveries)


async def test_two_loops_that_compete_deliver_each_event_once(
    settings: Settings, receiver: TlsServer, ca_file: str
) -> None:
    wanted = GatewaySettings(turnfold=settings, webhook_ca_file=ca_file, **ALLOWED)
    async with httpx.AsyncClient(trust_env=False, verify=tls_context(ca_file)) as client:
        with closing(KeyStore(settings)) as store, closing(KeyStore(settings)) as other:
            endpoints = Endpoints(store, settings.tenant)
            endpoint, _ = endpoints.add(receiver.url, ["folded"], allow_http=False)
            for _ in range(30):
                endpoints.test(endpoint)
            outboxes = [Outbox(store), Outbox(other)]
            while any(await asyncio.gather(*(deliver_due(client, outbox, wanted) for outbox in outboxes))):
                pass
    assert len(receiver.ids) == 30
    assert len(set(receiver.ids)) == 30


@pytest.mark.long
def test_two_gateways_deliver_each_event_once(
    gateway_settings: Settings, endpoints: Endpoints, receiver: TlsServer, ca_file: str
) -> None:
    endpoint, _ = endpoints.add(receiver.url, ["folded"], allow_http=False)
    for _ in range(60):
        endpoints.test(endpoint)
    variables = {
        "TURNFOLD_GATEWAY_WEBHOOK_PRIVATE": "on", "TURNFOLD_GATEWAY_WEBHOOK_POLL_SECONDS": "0.1",
        "TURNFOLD_GATEWAY_WEBHOOK_CA_FILE": ca_file,
    }  # fmt: skip
    with gateway_process(gateway_settings, **variables), gateway_process(gateway_settings, **variables):
        wait_until(lambda: endpoints.list()[0].waiting == 0)
    assert len(receiver.ids) == 60
    assert Counter(receiver.ids).most_common(1)[0][1] == 1


@pytest.mark.daily_on("sqlite")
async def test_what_a_model_refined_and_what_it_refused_is_told(
    settings: Settings, make_worker: Callable[..., LocalWorker], openai_server: model_server.OpenAIServer,
    receiver: TlsServer, ca_file: str,
) -> None:  # fmt: skip
    with closing(KeyStore(settings)) as store, Turnfold(settings=settings) as client:
        refinery = refinery_of(client, make_worker, openai_server)
        Endpoints(store, settings.tenant).add(receiver.url, ["refined", "parked"], allow_http=False)
        refinery.server.then(model_server.error(400, "too_long"))
        refinery.fold("talk")
        states = Counter(refinery.states)
        assert states["parked"] >= 1
        assert states["done"] >= 1

        wanted = GatewaySettings(turnfold=settings, webhook_ca_file=ca_file, **ALLOWED)
        outbox = Outbox(store)
        async with httpx.AsyncClient(trust_env=False, verify=tls_context(ca_file)) as http:
            while await deliver_due(http, outbox, wanted):
                pass
    told = Counter(receiver.types)
    assert told == {"conversation.refined": states["done"], "conversation.parked": states["parked"]}
    assert len(set(receiver.ids)) == len(receiver.ids)
