"""The talk that chaos runs append, and what an undisturbed run makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import redis

from support.talk import talk
from turnfold_worker import offline
from turnfold_worker.adapters.redis_server import RedisServer

CONVERSATIONS = 50
TURNS = 100


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: `make chaos`, and its short form, meet both."""
    return sqlite_url


@pytest.fixture
def client(redis_server: RedisServer, redis_url: str) -> Iterator[redis.Redis]:
    """For looking at what is left in Redis."""
    with redis_server.client() as client:
        yield client


@pytest.fixture(scope="session")
def conversations() -> Mapping[tuple[str, str], list[dict[str, Any]]]:
    """5,000 turns over 50 conversations of three tenants."""
    return {(f"tenant-{n % 3}", f"conversation {n}"): talk(n, TURNS) for n in range(CONVERSATIONS)}


@pytest.fixture(scope="session")
def undisturbed(conversations: Mapping[tuple[str, str], list[dict[str, Any]]]) -> Mapping[tuple[str, str], str]:
    """Digest of each conversation, folded in one process without Redis or Celery."""
    digests: dict[tuple[str, str], str] = {}
    for (tenant, conversation), said in conversations.items():
        with offline.fold(said, conversation_id=conversation) as folded:
            digests[tenant, conversation] = folded.digest()
    return digests
