"""A real gateway in a process of its own, and keys for it; forked, because the tests start dozens."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import quote

import httpx

from support.child_processes import child_environment
from support.forked_programs import ForkedProgram
from support.server_folders import own_folder
from support.waiting import wait_until
from turnfold import Settings
from turnfold_gateway.keys.store import KeyStore

COMMAND = (sys.executable, "-c", "from turnfold_gateway.cli import main; main()")


@dataclass(frozen=True)
class Gateway:
    """A running gateway."""

    url: str
    settings: Settings
    pid: int

    def key(self, tenant: str, *scopes: str, requests_per_minute: int | None = None) -> str:
        """Create a key."""
        with closing(KeyStore(self.settings.of_tenant(tenant))) as store:
            return str(store.create(tenant, "test", scopes, requests_per_minute=requests_per_minute))

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """Return an HTTP client that sends the key."""
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)


def path_of(conversation: str, *parts: str) -> str:
    """Return the path of a conversation."""
    return "/v1/conversations/" + "/".join(quote(part, safe="") for part in (conversation, *parts))


@contextmanager
def gateway_process(settings: Settings, *, arguments: Sequence[str] = (), **variables: str) -> Iterator[Gateway]:
    """A gateway on a free port that ends with the block; it delivers no webhooks unless `variables` enable that.

    Gateways of other tests share the database and would take its deliveries.
    """
    variables = {"TURNFOLD_GATEWAY_WEBHOOK_POLL_SECONDS": "3600", **variables}
    servers = (
        {"TURNFOLD_CELLS": settings.cells}
        if settings.cells
        else {"TURNFOLD_REDIS_URL": settings.redis_url, "TURNFOLD_DATABASE_URL": settings.database_url}
    )
    with own_folder() as folder:
        log = folder / "gateway.log"
        process = ForkedProgram(
            "turnfold_gateway.cli:main", ["turnfold-gateway", "serve", "--port", "0", *arguments],
            child_environment(**servers, **variables), log=log,
        )  # fmt: skip
        try:
            wait_until(
                lambda: "\n" in log.read_text("utf-8") or process.poll() is not None,
                what="the gateway says its URL",
            )  # fmt: skip
            url = log.read_text("utf-8").partition("\n")[0]
            assert url.startswith("http://"), log.read_text("utf-8")
            yield Gateway(url, settings, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(20)
            finally:
                process.kill()
        remarks = log.read_text("utf-8")
    assert "Traceback" not in remarks, remarks


@contextmanager
def signed_in(gateway: Gateway, tenant: str, *scopes: str) -> Iterator[httpx.Client]:
    """An HTTP client that is signed in with a new key."""
    with gateway.client() as client:
        answer = client.post("/ui/sign-in", data={"key": gateway.key(tenant, *scopes)})
        assert answer.status_code == 303
        yield client


def form_token(client: httpx.Client) -> str:
    """Return the token that the page's forms send for the signed-in user."""
    token = re.search(r'name="form_token" value="(\w+)"', client.get("/ui").text)
    assert token
    return token[1]
