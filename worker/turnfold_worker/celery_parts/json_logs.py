"""A worker's log with one JSON object per line."""

from __future__ import annotations

import logging
from typing import Any

from turnfold.json_logs import JsonFormatter


def write_json(logger: logging.Logger, **_: Any) -> None:
    """Let a logger that Celery set up write JSON: a receiver of Celery's `after_setup_logger`."""
    for handler in logger.handlers:
        handler.setFormatter(JsonFormatter())
