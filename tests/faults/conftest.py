"""The talk that chaos runs append, and what an undisturbed run makes of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import redis

from support.talk import talk
from turnfold_worker import migrate, offline
from turnfold_worker.adapters.redis_server import RedisServer

CONVERSATIONS = 20
TURNS = 100


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of today's schema, to be copied: these tests need hundreds."""
    path = tmp_path_factory.mktemp("migrated") / "turnfold.db"
    migrate.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def database_url(migrated: Path, tmp_path: Path) -> str:
    """A database of its own."""
    return f"sqlite:///{shutil.copy(migrated, tmp_path / 'turnfold.db')}"


@pytest.fixture
def client(redis_server: RedisServer, redis_url: str) -> Iterator[redis.Redis]:
    """For looking at what is left in Redis."""
    with redis_server.client() as client:
        yield client


@pytest.fixture(scope="session")
def conversations() -> Mapping[tuple[str, str], list[dict[str, Any]]]:
    """2,000 turns over 20 conversations of three tenants."""
    return {(f"tenant-{n % 3}", f"conversation {n}"): talk(n, TURNS) for n in range(CONVERSATIONS)}


@pytest.fixture(scope="session")
def undisturbed(conversations: Mapping[tuple[str, str], list[dict[str, Any]]]) -> Mapping[tuple[str, str], str]:
    """Digest of each conversation, folded in one process without Redis or Celery."""
    digests: dict[tuple[str, str], str] = {}
    for (tenant, conversation), said in conversations.items():
        with offline.fold(said, conversation_id=conversation) as folded:
            digests[tenant, conversation] = folded.digest()
    return digests
