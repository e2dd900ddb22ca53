"""Fixtures for several files of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conftest import LocalWorker
from support.platforms import Platform
from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold_worker.adapters.sql.parked import SqlParkedWork
from turnfold_worker.use_cases import fold as compress_module


@pytest.fixture
def platform(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Platform]:
    engine = connect(database_url, write=True, timeout_seconds=10)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    yield Platform(tf, make_worker(republish_seconds=0.001), SqlParkedWork(engine), monkeypatch)
    engine.dispose()
