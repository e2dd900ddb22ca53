"""A check of the schema at start: a worker ends where the database does not serve its version."""

from __future__ import annotations

import logging
from typing import Any, Final

from turnfold.errors import TurnfoldError, Unavailable
from turnfold_worker.settings import WorkerSettings

ENDED: Final = 3
"""Exit code of an unmet requirement, as in the command line."""

_log = logging.getLogger(__name__)


def check_schema(**_: Any) -> None:
    """End the worker with `ENDED` and the remedy in its log: a receiver of Celery's `celeryd_after_setup`.

    A database that does not answer ends no worker: each process of the pool checks again before its first task.
    Everything opened is closed: connections, and SQLite's lock state, do not survive a fork.
    """
    from turnfold_worker.wiring import check_database

    try:
        check_database(WorkerSettings.from_env())
    except Unavailable as error:
        _log.warning("the schema will be checked when the database answers: %s", error)
    except TurnfoldError as error:
        _log.critical("the worker exits without taking a task: %s", error)
        raise SystemExit(ENDED) from error
