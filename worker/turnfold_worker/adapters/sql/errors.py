"""Translate database errors into errors of a worker: away, stalled, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from turnfold.database.session_settings import DROPPED, DROPS_OPTIONS, NEEDS_POOLER
from turnfold_worker.errors import Refused, Stalled, StoreAway, WorkerError

_TOO_LARGE: Final = "54"
"""SQLSTATE class of values above a limit of the server, now and for ever."""

_STALLED: Final = ("57014", "55P03", "40", "53200", "XX")
"""SQLSTATEs of a timeout, a lock wait, a conflict, memory shortage or an internal error: others may succeed."""

_NO_SUCH: Final = ("no such table: ", "no such column: ")
"""Beginnings of SQLite's messages on a missing schema; followed by a name of ours, never content."""


_FILES: Final = {
    "SQLITE_CANTOPEN": (
        "cannot be opened",
        "correct the URL, make its folder writable for this user, or run `turnfold migrate`",
    ),
    "SQLITE_NOTADB": ("is not a SQLite database", "correct the URL, or restore a backup"),
    "SQLITE_CORRUPT": ("is damaged", "restore a backup"),
    "SQLITE_FULL": ("cannot grow, because its disk is full", "free disk space"),
}
"""Problems of SQLite's file, and their remedies."""


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Run a transaction. Raises `StoreAway`, `Stalled` or `Refused`."""
    try:
        with engine.begin() as connection:
            yield connection
    except (DBAPIError, PoolTimeout) as error:
        # Without its cause, whose message may quote a statement's parameters.
        raise _translated(error) from None


def _translated(error: DBAPIError | PoolTimeout) -> WorkerError:
    origin = getattr(error, "orig", None)
    kind = f"{type(origin or error).__name__} {getattr(origin, 'sqlite_errorname', '')}".strip()
    state = getattr(origin, "sqlstate", None) or ""
    if isinstance(error, (DataError, IntegrityError)) or state.startswith(_TOO_LARGE):
        return Refused(f"the database rejects these values: {kind}")
    if trouble := _FILES.get(getattr(origin, "sqlite_errorname", "")):
        problem, remedy = trouble
        return StoreAway(f"the file of TURNFOLD_DATABASE_URL {problem}", remedy=remedy)
    if DROPS_OPTIONS in str(origin):
        return StoreAway(DROPPED, remedy=NEEDS_POOLER)
    if isinstance(error, ProgrammingError) or str(origin).startswith(_NO_SUCH):
        return StoreAway(
            f"the database does not have the schema of this version ({kind})", remedy="run `turnfold migrate`"
        )
    if state.startswith(_STALLED) and isinstance(error, DBAPIError) and not error.connection_invalidated:
        return Stalled(f"the database aborted the statement: {kind}")
    return StoreAway(f"the database failed: {kind}")
