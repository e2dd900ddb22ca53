"""Logs have one JSON object per line, whatever a message contains."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest

from turnfold.errors import InvalidSettings
from turnfold_worker.celery_parts.json_logs import write_json
from turnfold_worker.settings import WorkerSettings


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(stream: io.StringIO) -> logging.Logger:
    """Return a logger as Celery sets one up, with our formatter."""
    logger = logging.getLogger("turnfold_worker.test_json_logs")
    logger.setLevel(logging.INFO)
    logger.handlers = [logging.StreamHandler(stream)]
    write_json(logger)
    return logger


def written(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_record_is_one_object_on_one_line(log: logging.Logger, stream: io.StringIO) -> None:
    log.info('folded "%s" of\nconversation %s', 3, 7, extra={"task_id": "t-1", "task_name": "turnfold.compress"})
    log.warning("ünïcode\u2028")
    first, second = written(io.StringIO(stream.getvalue().replace("\u2028", "")))
    assert first | {"time": "", "process": ""} == {
        "time": "", "process": "", "level": "INFO", "logger": "turnfold_worker.test_json_logs",
        "message": 'folded "3" of\nconversation 7', "task_id": "t-1", "task": "turnfold.compress",
    }  # fmt: skip
    assert first["time"].endswith("+00:00")
    assert second["message"] == "ünïcode"


def test_an_error_is_written_with_its_trace_on_the_same_line(log: logging.Logger, stream: io.StringIO) -> None:
    try:
        json.loads("{")
    except ValueError:
        log.exception("conversation %s failed", 7)
    (line,) = written(stream)
    assert line["message"] == "conversation 7 failed"
    assert line["error"].startswith("Traceback")
    assert line["error"].endswith("(char 1)")


def test_another_format_and_traces_without_their_packages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnfold_worker.settings.find_spec", lambda name: None)
    with pytest.raises(InvalidSettings, match="TURNFOLD_LOG_FORMAT must be text or json"):
        WorkerSettings(log_format="xml")
    with pytest.raises(InvalidSettings, match=r"TURNFOLD_OTEL needs .*pip install 'turnfold-worker\[otel\]'"):
        WorkerSettings(otel=True)
