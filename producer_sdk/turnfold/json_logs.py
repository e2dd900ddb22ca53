"""A log as an object a line, for what collects logs: of workers and gateways."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Final

from turnfold.telemetry import trace_ids

_TASK: Final = {"task_id": "task_id", "task_name": "task"}
"""What Celery puts on a record of a task, and our name for it."""


class JsonFormatter(logging.Formatter):
    """Time in UTC, level, logger and message; process, task and span where there are any; an error with its trace."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the message holds."""
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
