"""Translation of SQL errors to the SDK's, with remedies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from turnfold.database.session_settings import DROPPED, DROPS_OPTIONS, NEEDS_POOLER
from turnfold.errors import InvalidSettings, SchemaMismatch, Unavailable


class ConnectionLost(Unavailable):
    """The server closed a pooled connection; a retry on another one may work."""


@contextmanager
def translated() -> Iterator[None]:
    """Translate SQLAlchemy's errors to the SDK's."""
    try:
        yield
    except (OperationalError, ProgrammingError) as error:
        if _missing_table(error):
            raise SchemaMismatch(_NO_SCHEMA, remedy=_MIGRATE) from error
        if "unable to open database file" in str(error.orig):
            raise Unavailable(_NO_FILE, remedy=_OPEN_FILE) from error
        if DROPS_OPTIONS in str(error.orig):
            raise InvalidSettings(DROPPED, remedy=NEEDS_POOLER) from error
        kind = ConnectionLost if error.connection_invalidated else Unavailable
        msg = f"the database did not answer ({type(error.orig).__name__})"
        raise kind(msg, remedy="check that it is running and that TURNFOLD_DATABASE_URL is correct") from error
    except DBAPIError as error:
        if getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
            raise Unavailable(_DAMAGED, remedy="restore a backup") from error
        if "not a database" in str(error.orig):
            raise Unavailable(_NO_DATABASE, remedy="correct the URL, or restore a backup") from error
        kind = ConnectionLost if error.connection_invalidated else Unavailable
        raise kind(f"the database failed: {type(error.orig).__name__}", remedy=_REPEAT) from error
    except PoolTimeout as error:
        raise Unavailable(_ALL_IN_USE, remedy=_FEWER_THREADS) from error
    except SQLAlchemyError as error:
        raise Unavailable(f"the database could not be used: {type(error).__name__}", remedy=_REPEAT) from error


_ALL_IN_USE: Final = "all database connections of this process were in use until the call timed out"
_FEWER_THREADS: Final = "retry, or use fewer threads or more processes"
_REPEAT: Final = "retry; if it fails again, check the database's log"
_NO_FILE: Final = "the file of TURNFOLD_DATABASE_URL cannot be opened"
_OPEN_FILE: Final = (
    "correct the URL, make its folder writable for this user (SQLite keeps two more files there), or run "
    "`turnfold migrate` to create it"
)
_DAMAGED: Final = "the file of TURNFOLD_DATABASE_URL is damaged, for example by an incomplete copy"
_NO_DATABASE: Final = "the file of TURNFOLD_DATABASE_URL is not a SQLite database"
_NO_SCHEMA: Final = "the database does not have the Turnfold schema of this version"
_MIGRATE: Final = "run `turnfold migrate`, which also reports remaining differences"


def _missing_table(error: DBAPIError) -> bool:
    message = str(error.orig)
    return "no such table" in message or "no such column" in message or getattr(error.orig, "sqlstate", "") in {
        "42P01", "42703",
    }  # fmt: skip
