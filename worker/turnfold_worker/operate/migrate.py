"""Bring a database to the schema of this version, however many processes try at once."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, text
from sqlalchemy.exc import DatabaseError, OperationalError
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from turnfold.contract.tables import Base
from turnfold.database.engines import connect
from turnfold.errors import SchemaMismatch, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"

LOCK_SECONDS: Final = 60.0
"""How long one migration waits for another one to finish."""

DRIFT_REMEDY: Final = (
    "the tables were changed by hand, or made by a version between two releases: "
    "undo that, or start with an empty database"
)
"""What to do about a database at this version's revision whose tables are not this version's."""

NEWER_REMEDY: Final = "upgrade Turnfold here, or name another database"
"""What to do about a database at a revision that this version does not know."""

_ADVISORY_LOCK: Final = 0x7475726E666F6C64
"""Key of PostgreSQL's advisory lock: 'turnfold' in ASCII."""


def upgrade(database_url: str) -> None:
    """Create or upgrade the schema; a database that is up to date stays as it is.

    One transaction: it is done whole or not at all. Makes SQLite's file, but not its folder.
    Raises `Unavailable` when the database cannot be opened or stays locked for a minute, `SchemaMismatch` for one that
    a newer version made.
    """
    with _openable():
        _upgrade(database_url)


def _is_locked(error: BaseException) -> bool:
    return isinstance(error, OperationalError) and "locked" in str(error.orig)


# Two processes that switch a new SQLite file to WAL at once may meet "database is locked" without a wait.
@retry(retry=retry_if_exception(_is_locked), stop=stop_after_delay(5), wait=wait_random(0.05, 0.3), reraise=True)
def _upgrade(database_url: str) -> None:
    with _locked(database_url) as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
        if not is_known(revision):
            raise SchemaMismatch(_difference(revision))
        command.upgrade(configuration(connection), "head")


def current(database_url: str) -> str | None:
    """The revision that the database is at; None before the first migration or without a database."""
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS)
    try:
        with _openable(), engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except Unavailable as error:
        if engine.dialect.name == "sqlite" and "unable to open" in str(error):
            return None
        raise
    finally:
        engine.dispose()


def head() -> str:
    """The revision that this version of the code needs."""
    found = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    if found is None:
        msg = f"no migration was found in {MIGRATIONS}: the installation is incomplete"
        raise RuntimeError(msg)
    return found


def check(database_url: str) -> list[str]:
    """What differs between the database and the schema of this version, a line each; empty when nothing does."""
    revision = current(database_url)
    if revision != head():
        return [_difference(revision)]
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS)
    try:
        with _openable(), engine.connect() as connection:
            return _drift(connection)
    finally:
        engine.dispose()


def is_known(revision: str | None) -> bool:
    """True for a revision of this version's or of an earlier one's, and for a database that has none."""
    return revision is None or any(
        script.revision == revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()
    )


def _difference(revision: str | None) -> str:
    newer = "" if is_known(revision) else f": a newer version made it, so {NEWER_REMEDY}"
    return f"the database is at revision {revision or 'none'}, this version needs {head()}{newer}"


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for a connection that is already in a transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _locked(database_url: str) -> Iterator[Connection]:
    """A connection in a transaction that keeps other migrations out until it ends."""
    engine = connect(database_url, write=True, timeout_seconds=LOCK_SECONDS, create=True)
    try:
        # On SQLite the write engine's BEGIN IMMEDIATE is the lock.
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
            yield connection
    finally:
        engine.dispose()


def _drift(connection: Connection) -> list[str]:
    indexes = {str(index.name): index for table in Base.metadata.tables.values() for index in table.indexes}
    by_name_only = {
        name for name, index in indexes.items() if not all(isinstance(part, Column) for part in index.expressions)
    }

    def can_be_compared(_: object, name: str | None, kind: str, *__: object) -> bool:
        return not (kind == "index" and name in by_name_only)

    context = MigrationContext.configure(
        connection, opts={"target_metadata": Base.metadata, "include_object": can_be_compared}
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*expression-based index.*")
        differences = [_sentence(difference) for difference in compare_metadata(context, Base.metadata)]
    present = set(connection.execute(text(_INDEX_NAMES[connection.dialect.name])).scalars())
    return differences + [f"index {name} is missing" for name in sorted(by_name_only - present)]


_INDEX_NAMES: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname FROM pg_indexes",
}


def _sentence(difference: object) -> str:
    if isinstance(difference, list):
        return "; ".join(_sentence(part) for part in difference)
    if isinstance(difference, tuple):
        return " ".join(str(part) for part in difference if part is not None)
    return str(difference)


@contextmanager
def _openable() -> Iterator[None]:
    """Turn into `Unavailable` what a database says that is away, or that is none: any file has a name."""
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        raise Unavailable(_unreachable(error)) from error


def _unreachable(error: DatabaseError) -> str:
    reason = str(error.orig).strip().splitlines()[0] if error.orig is not None else type(error).__name__
    if "malformed" in reason:
        return f"the file of TURNFOLD_DATABASE_URL is damaged ({reason}): restore a backup"
    if "is full" in reason:
        return f"the file of TURNFOLD_DATABASE_URL cannot grow ({reason}): make room there"
    return (
        f"the database cannot be opened ({reason}): check TURNFOLD_DATABASE_URL, and that its server or folder exists "
        "(this user must be able to write to SQLite's)"
    )
