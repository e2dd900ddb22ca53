"""A gateway in front of a real provider for all tests here; each test has a tenant of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from openai import OpenAI

from support.gateway import Gateway, gateway_process
from support.provider import Provider
from turnfold import Settings

PROVIDERS_KEY = "sk-of-the-provider"


@pytest.fixture(scope="session")
def running_provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: Provider) -> Provider:
    """The provider, reset for the test."""
    running_provider.reset()
    return running_provider


@pytest.fixture(scope="session")
def proxy(gateway_settings: Settings, running_provider: Provider) -> Iterator[Gateway]:
    """A gateway that forwards to the provider."""
    with gateway_process(
        gateway_settings, TURNFOLD_GATEWAY_UPSTREAM_URL=running_provider.url, TURNFOLD_GATEWAY_PROXY_WAIT_SECONDS="10"
    ) as running:
        yield running


@pytest.fixture
def key(proxy: Gateway, tenant: str) -> str:
    """A Turnfold key of the test's tenant."""
    return proxy.key(tenant, "append", "read")


@pytest.fixture
def openai_client(proxy: Gateway, key: str) -> Iterator[Callable[..., OpenAI]]:
    """Makes real OpenAI clients, each for a conversation, with further headers by name."""
    clients: list[OpenAI] = []

    def make(conversation: str | None = "conv-1", **headers: str) -> OpenAI:
        ours = {"X-Turnfold-Key": key, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if conversation is not None:
            ours["X-Turnfold-Conversation"] = conversation
        client = OpenAI(base_url=f"{proxy.url}/v1", api_key=PROVIDERS_KEY, default_headers=ours, max_retries=0)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def raw(proxy: Gateway, key: str, provider: Provider) -> Iterator[httpx.Client]:
    """An HTTP client with both keys, for what the OpenAI client hides."""
    with httpx.Client(
        base_url=proxy.url, timeout=30, trust_env=False,
        headers={"X-Turnfold-Key": key, "Authorization": f"Bearer {PROVIDERS_KEY}"},
    ) as client:  # fmt: skip
        yield client
