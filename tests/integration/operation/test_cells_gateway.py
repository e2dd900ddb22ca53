"""With one gateway for two cells, each key reaches its tenant's cell by every route, and no other cell."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from redis import Redis

from integration.gateway.test_isolation import SECRET, TURNS, call
from integration.gateway.test_webhooks import receiving, telling
from support.child_processes import child_environment
from support.gateway import COMMAND, Gateway, gateway_process, path_of
from support.provider import Provider
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract.keys import gateway_idempotency, gateway_rate
from turnfold_gateway import rest
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.webhooks.endpoints import Endpoints

pytestmark = [pytest.mark.postgresql, pytest.mark.processes]

HOMES = {"acme": "eu", "globex": "us"}
SCOPES = ("append", "read", "admin")


@pytest.fixture
def settings_of_cells(cells_file: Path) -> Settings:
    return Settings(cells=str(cells_file))


@pytest.fixture
def gateway(settings_of_cells: Settings) -> Iterator[Gateway]:
    with gateway_process(settings_of_cells, TURNFOLD_GATEWAY_KEY_CACHE_SECONDS="0") as running:
        yield running


@pytest.fixture
def clients(gateway: Gateway) -> Iterator[dict[str, httpx.Client]]:
    """A client for each tenant, with a key for all scopes."""
    made = {tenant: gateway.client(gateway.key(tenant, *SCOPES)) for tenant in HOMES}
    yield made
    for client in made.values():
        client.close()


def key_in(settings: Settings, cell: str, tenant: str) -> str:
    """Return a key that is stored in a cell, even if its tenant lives elsewhere."""
    with closing(KeyStore(settings.in_cell(cell))) as store:
        return str(store.create(tenant, "test", SCOPES))


def status(gateway: Gateway, key: str, path: str = "/v1/conversations") -> int:
    with gateway.client(key) as client:
        return client.get(path).status_code


@pytest.mark.usefixtures("cell_workers")
def test_every_route_leads_to_the_tenants_own_cell_and_to_no_other(
    clients: dict[str, httpx.Client], gateway: Gateway, settings_of_cells: Settings
) -> None:
    assert rest.operations
    with Turnfold(settings=settings_of_cells) as tf:
        for tenant, home in HOMES.items():
            (away,) = {*HOMES.values()} - {home}
            victim = tf.for_tenant(tenant)
            victim.append("talk", TURNS, subject="ana")
            victim.wait("talk", timeout_seconds=90)
            before = victim.turns("talk"), victim.anchors("talk")
            others = [client for name, client in clients.items() if name != tenant]
            with gateway.client(key_in(settings_of_cells, away, tenant)) as misplaced:
                thieves = (*others, misplaced)
                answers = [call(client, operation) for operation in rest.operations for client in thieves]
            assert all(answer.status_code < 500 and SECRET not in answer.text for answer in answers)
            assert {answer.status_code for answer in answers[1::2]} == {401}, "stored where its tenant does not live"
            assert (victim.turns("talk"), victim.anchors("talk")) == before

            own = {operation.name: call(clients[tenant], operation) for operation in rest.operations}
            assert SECRET in own["listTurns"].text
            refused = {name for name, answer in own.items() if not answer.is_success}
            # Calls before these may have erased what they address.
            assert refused <= {
                "deleteTurn", "editTurn", "rewindConversation", "expandMarker", "listAnchors", "listNotes",
            }  # fmt: skip
            for name, cell in (("home", home), ("away", away)):
                with closing(KeyStore(settings_of_cells.in_cell(cell))) as store:
                    noted = AuditLog(store).entries(tenant, limit=50)
                assert bool(noted) is (name == "home"), "the audit log is in the tenant's cell"


@pytest.mark.usefixtures("cell_workers")
def test_pages_agents_and_the_proxy_read_the_tenants_cell(settings_of_cells: Settings, second_redis: str) -> None:
    with (
        Provider() as provider,
        gateway_process(settings_of_cells, TURNFOLD_GATEWAY_UPSTREAM_URL=provider.url) as gateway,
        Turnfold(settings=settings_of_cells) as tf,
    ):
        for tenant in HOMES:
            mine = tf.for_tenant(tenant)
            mine.append("talk", [{"role": "user", "content": f"The {tenant} vault opens with tangerine."}])
            mine.wait("talk", timeout_seconds=90)
            key = gateway.key(tenant, *SCOPES)
            with gateway.client() as visitor:
                assert visitor.post("/ui/sign-in", data={"key": key}).is_redirect
                page = visitor.get("/ui/c/talk/turns")
                assert page.status_code == 200
                assert f"{tenant} vault" in page.text
            with gateway.client(key, accept="application/json, text/event-stream") as agent:
                asked = {"name": "search", "arguments": {"conversation_id": "talk", "query": "vault"}}
                answer = agent.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
                assert f"{tenant} vault" in answer.text
            with gateway.client("sk-provider") as application:
                headers = {"X-Turnfold-Key": key, "X-Turnfold-Conversation": "through"}
                body = {"model": "m", "messages": [{"role": "user", "content": f"Hello from {tenant}."}]}
                answered = application.post("/v1/chat/completions", json=body, headers=headers)
                assert answered.status_code == 200
            wait_until(lambda mine=mine: len(mine.turns("through")) == 2)
            assert mine.turns("through")[0].content == f"Hello from {tenant}."


def test_limits_and_idempotency_keys_are_in_the_tenants_redis(
    gateway: Gateway, redis_url: str, second_redis: str
) -> None:
    tokens = {tenant: gateway.key(tenant, *SCOPES, requests_per_minute=600) for tenant in HOMES}
    for tenant, token in tokens.items():
        with gateway.client(token, **{"Idempotency-Key": "once"}) as client:
            sent = [client.post(path_of("c", "turns"), json={"turns": [TURNS[0]]}).status_code for _ in range(2)]
            assert sent == [202, 202]
            other = client.post(path_of("c", "turns"), json={"turns": [TURNS[1]]})
            assert other.status_code == 422
        with Redis.from_url(redis_url) as eu, Redis.from_url(second_redis) as us:
            home, away = (eu, us) if HOMES[tenant] == "eu" else (us, eu)
            prefix = gateway_idempotency(tenant, "*")
            rate = gateway_rate(token.split("_")[1])
            assert (len([*home.scan_iter(prefix)]), len([*away.scan_iter(prefix)])) == (1, 0)
            assert (home.exists(rate), away.exists(rate)) == (1, 0)


def test_a_key_opens_after_the_move_where_its_tenant_lives(
    gateway: Gateway, settings_of_cells: Settings, pin: Callable[[str], None]
) -> None:
    old, new = gateway.key("acme", "read"), key_in(settings_of_cells, "us", "acme")

    assert [status(gateway, key) for key in (old, new)] == [200, 401]
    pin("us")
    with gateway_process(settings_of_cells) as after:
        assert [status(after, key) for key in (old, new)] == [401, 200]


def test_a_revoked_key_opens_in_no_cell(gateway: Gateway, settings_of_cells: Settings) -> None:
    for tenant in HOMES:
        token = gateway.key(tenant, "read")
        with gateway.client(token) as client:
            assert client.get("/v1/conversations").status_code == 200
            with closing(KeyStore(settings_of_cells.of_tenant(tenant))) as store:
                assert store.revoke(token.split("_")[1])
            assert client.get("/v1/conversations").status_code == 401


def test_a_cell_that_is_away_is_away_to_its_own_tenants_only(
    settings_of_cells: Settings, cells_file: Path, postgresql_url: str
) -> None:
    keys = {tenant: key_in(settings_of_cells, home, tenant) for tenant, home in HOMES.items()}
    nobodys = key_in(settings_of_cells, "eu", "acme")[:-1] + "x"
    text = cells_file.read_text("utf-8")
    cells_file.write_text(text.replace(postgresql_url, "postgresql+psycopg://turnfold@127.0.0.1:1/gone"), "utf-8")
    with gateway_process(settings_of_cells, TURNFOLD_TIMEOUT_SECONDS="1") as gateway:
        assert status(gateway, keys["acme"]) == 200
        assert status(gateway, keys["globex"]) == 503
        assert status(gateway, nobodys) == 503, "the cell that is away may have it"
        assert status(gateway, keys["acme"], "/readyz") == 200


def test_a_gateway_of_which_no_cell_answers_is_not_ready(settings_of_cells: Settings, cells_file: Path) -> None:
    lines = [
        line if "_url" not in line else f'{line.split(" = ")[0]} = "{url}{number}/0"'
        for number, line in enumerate(cells_file.read_text("utf-8").splitlines(), start=1)
        for url in ["redis://127.0.0.1:" if "redis_url" in line else "postgresql+psycopg://t@127.0.0.1:"]
    ]
    cells_file.write_text("\n".join(lines), "utf-8")
    with gateway_process(settings_of_cells, TURNFOLD_TIMEOUT_SECONDS="1") as gateway, gateway.client() as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503


def test_one_named_cell_serves_its_own_keys_alone(settings_of_cells: Settings) -> None:
    keys = {tenant: key_in(settings_of_cells, home, tenant) for tenant, home in HOMES.items()}
    with gateway_process(settings_of_cells, TURNFOLD_CELL="us") as gateway:
        statuses = {name: status(gateway, key) for name, key in keys.items()}
    assert statuses == {"acme": 401, "globex": 200}


def test_a_gateway_with_a_file_that_makes_no_sense_ends_and_says_so(cells_file: Path) -> None:
    cells_file.write_text("[cells", "utf-8")
    ended = subprocess.run(
        [*COMMAND, "serve", "--port", "0"], env=child_environment(TURNFOLD_CELLS=str(cells_file)), capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "is not valid TOML" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_key_file_is_kept_in_the_tenants_cell(settings_of_cells: Settings, tmp_path: Path) -> None:
    """A gateway for all cells supports `--key-file`."""
    file = tmp_path / "key.txt"
    for tenant, home in HOMES.items():
        with gateway_process(
            settings_of_cells, arguments=("--key-file", str(file)), TURNFOLD_TENANT=tenant
        ) as gateway, gateway.client(file.read_text("utf-8").strip()) as client:  # fmt: skip
            assert client.get("/v1/conversations").status_code == 200
        with closing(KeyStore(settings_of_cells.in_cell(home))) as store:
            assert len(store.keys(tenant)) == 1


def test_webhooks_of_each_cell_are_delivered(settings_of_cells: Settings) -> None:
    with receiving() as receiver:
        for tenant in HOMES:
            with closing(KeyStore(settings_of_cells.of_tenant(tenant))) as store:
                endpoint, _ = Endpoints(store, tenant).add(f"{receiver.url}/{tenant}", ["folded"], allow_http=True)
                assert Endpoints(store, tenant).test(endpoint)
        with telling(settings_of_cells):
            for tenant in HOMES:
                wait_until(lambda tenant=tenant: receiver.types(f"/{tenant}") == ["test"])
