"""Fixtures that several files of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conftest import LocalWorker
from support import scribe
from support.openai_server import OpenAIServer
from support.platforms import Platform
from support.refinery import Refinery
from turnfold import Turnfold
from turnfold.sql import connect
from turnfold_worker import compress as compress_module
from turnfold_worker.adapters.openai_model import OpenAIModel
from turnfold_worker.adapters.sql_parked import SqlParkedWork


@pytest.fixture
def platform(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Platform]:
    engine = connect(database_url, write=True, timeout_seconds=10)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    yield Platform(tf, make_worker(republish_seconds=0.001), SqlParkedWork(engine, republish_seconds=60), monkeypatch)
    engine.dispose()


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A real HTTP server that speaks OpenAI's protocol; it answers well unless it is told otherwise."""
    with OpenAIServer(scribe.answer) as server:
        yield server


@pytest.fixture
def make_refinery(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], openai_server: OpenAIServer
) -> Iterator[Callable[..., Refinery]]:
    """Makes workers with a model, with settings of one's own. Calls give up after half a second, and nobody sleeps."""
    models: list[OpenAIModel] = []

    def make(**values: object) -> Refinery:
        slept: list[float] = []
        values = {"call_seconds": 0.5, "republish_seconds": 0.001, **values}
        local = make_worker(openai_base_url=openai_server.base_url, sleep=slept.append, **values)
        model = local.worker.refining.calls._model  # type: ignore[union-attr]
        assert isinstance(model, OpenAIModel)
        models.append(model)
        return Refinery(tf, local, openai_server, model, slept)

    yield make
    for model in models:
        model.close()


@pytest.fixture
def refinery(make_refinery: Callable[..., Refinery]) -> Refinery:
    """A worker with a model."""
    return make_refinery()
