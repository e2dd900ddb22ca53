"""The talk that chaos runs append, and the digests that an undisturbed run of it ends with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import redis

from support.talk import talk
from turnfold_worker import offline
from turnfold_worker.local.redis_server import RedisServer

CONVERSATIONS = 20
TURNS = 100


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite only; `make chaos` and its short form cover both databases."""
    return sqlite_url


@pytest.fixture
def client(redis_server: RedisServer, redis_url: str) -> Iterator[redis.Redis]:
    """A Redis client, to inspect what a test leaves behind."""
    with redis_server.client() as client:
        yield client


@pytest.fixture(scope="session")
def conversations() -> Mapping[tuple[str, str], list[dict[str, Any]]]:
    """2,000 turns in 20 conversations of three tenants."""
    return {(f"tenant-{n % 3}", f"conversation {n}"): talk(n, TURNS) for n in range(CONVERSATIONS)}


class Undisturbed(dict[tuple[str, str], str]):
    """The digest of each conversation, folded on first access in one process without Redis or Celery."""

    def __init__(self, conversations: Mapping[tuple[str, str], list[dict[str, Any]]]) -> None:
        super().__init__()
        self._conversations = conversations

    def __missing__(self, address: tuple[str, str]) -> str:
        with offline.fold(self._conversations[address], conversation_id=address[1]) as folded:
            self[address] = digest = folded.digest()
        return digest


@pytest.fixture(scope="session")
def undisturbed(conversations: Mapping[tuple[str, str], list[dict[str, Any]]]) -> Mapping[tuple[str, str], str]:
    """The digests that every run must end with."""
    return Undisturbed(conversations)
