"""One Redis, database, pair of workers and gateway for all tests here; each test has a tenant of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from support.gateway import Gateway, gateway_process
from support.needed import skip_or_fail
from support.npm import build_client
from support.server_folders import own_folder
from turnfold import Settings, Turnfold
from turnfold_worker.local.stack import Stack


@pytest.fixture(scope="session")
def stack(redis_program: None) -> Iterator[Stack]:
    """Servers and workers as `turnfold up` starts them, without a gateway."""
    environment = {"PATH": os.environ.get("PATH", ""), "TURNFOLD_FOLD_TURNS": "1"}
    with own_folder() as folder, Stack(folder, environment=environment) as stack:
        yield stack


@pytest.fixture(scope="session")
def gateway_settings(stack: Stack) -> Settings:
    """Settings with the gateway's Redis and database."""
    return Settings(redis_url=stack.settings.redis_url, database_url=stack.settings.database_url)


@pytest.fixture(scope="session")
def gateway(gateway_settings: Settings) -> Iterator[Gateway]:
    """A gateway in a process of its own."""
    with gateway_process(gateway_settings, TURNFOLD_GATEWAY_KEY_CACHE_SECONDS="1") as running:
        yield running


@pytest.fixture(scope="session")
def built_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript client, built. Skips without Node, but fails where CI is set."""
    if shutil.which("npm") is None:
        skip_or_fail("install Node 20 or later: apt-get install nodejs npm")
    return build_client(tmp_path_factory.mktemp("npm"))


@pytest.fixture
def tenant(request: pytest.FixtureRequest) -> str:
    """A tenant named after the test."""
    return request.node.name[:200]


@pytest.fixture
def tf(gateway_settings: Settings, tenant: str) -> Iterator[Turnfold]:
    """The SDK's client for the same tenant, which shows the gateway's effects independently of it."""
    with Turnfold(settings=replace(gateway_settings, tenant=tenant)) as client:
        yield client


@pytest.fixture
def http(gateway: Gateway, tenant: str) -> Iterator[httpx.Client]:
    """An HTTP client with a key for all scopes."""
    with gateway.client(gateway.key(tenant, "append", "read", "admin")) as client:
        yield client
