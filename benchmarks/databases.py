"""Temporary databases and a Redis of their own for benchmarks."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.postgresql import PostgresqlServer
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate


@dataclass(frozen=True, slots=True)
class Place:
    """The database and the Redis of a benchmark."""

    name: str
    database_url: str
    redis_url: str


@contextmanager
def places(names: list[str]) -> Iterator[list[Place]]:
    """A migrated database of each kind (`sqlite`, `postgresql`), each with a Redis of its own."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="turnfold-", ignore_cleanup_errors=True)))
        found = []
        for name in names:
            url = f"sqlite:///{folder / 'bench.db'}"
            if name == "postgresql":
                (folder / "postgresql").mkdir()
                server = PostgresqlServer(folder / "postgresql")
                server.start()
                opened.callback(server.stop)
                url = server.create("bench")
            migrate.upgrade(url)
            redis = opened.enter_context(RedisServer(folder / f"redis-{name}"))
            found.append(Place(name, url, redis.url))
        yield found


def machine() -> dict[str, str]:
    """Return a description of this machine, to print with the numbers."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "processor": platform.machine(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
    }
