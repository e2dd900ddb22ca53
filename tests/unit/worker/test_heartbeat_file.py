"""A timer of the consumer's loop touches a worker's heartbeat file as long as there is a consumer."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
from kombu.asynchronous.timer import Timer

from turnfold_worker.celery_parts.heartbeat_file import HeartbeatFile


@pytest.fixture
def consumer() -> SimpleNamespace:
    return SimpleNamespace(timer=Timer())


def test_it_is_touched_at_once_and_then_again_and_again(
    consumer: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "heartbeat"
    monkeypatch.setenv("TURNFOLD_HEARTBEAT_FILE", str(path))
    step = HeartbeatFile(consumer)
    step.start(consumer)
    assert path.exists()
    (entry,) = [scheduled.entry for scheduled in consumer.timer.queue]
    path.unlink()
    entry()
    assert path.exists()
    step.stop(consumer)
    assert entry.canceled


def test_without_the_setting_nothing_is_scheduled(consumer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TURNFOLD_HEARTBEAT_FILE", raising=False)
    step = HeartbeatFile(consumer)
    step.start(consumer)
    assert not list(consumer.timer.queue)
    step.stop(consumer)


def test_a_file_that_cannot_be_touched_stops_no_worker(
    consumer: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TURNFOLD_HEARTBEAT_FILE", str(tmp_path / "nowhere" / "heartbeat"))
    with caplog.at_level(logging.WARNING):
        HeartbeatFile(consumer).start(consumer)
    assert "cannot be touched" in caplog.text
