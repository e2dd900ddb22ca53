"""A worker's log as an object a line."""

from __future__ import annotations

import logging
from typing import Any

from turnfold.json_logs import JsonFormatter


def write_json(logger: logging.Logger, **_: Any) -> None:
    """Let a logger that Celery has set up write objects: a receiver of its `after_setup_logger`."""
    for handler in logger.handlers:
        handler.setFormatter(JsonFormatter())
