"""Write the logs of workers and gateways as one JSON object per line, for log collectors."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final

from turnfold.telemetry import trace_ids

_TASK: Final = {"task_id": "task_id", "task_name": "task"}
"""Attributes that Celery adds to a task's log records, and their keys in our JSON."""


class JsonFormatter(logging.Formatter):
    """Formats a record as JSON: time (UTC), level, logger, message, process, and any task, span ids and traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, also for a message with line breaks."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.processName,
            **{ours: getattr(record, theirs) for theirs, ours in _TASK.items() if hasattr(record, theirs)},
            **trace_ids(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
