"""Bring a database to the schema of this version, however many processes try at once.

In two steps, so that two versions may be at work at once: `upgrade` expands it, and `upgrade(contract=True)` contracts
it when no process of the older version is left. See `turnfold.contract.schema_range`.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import DatabaseError, OperationalError
from tenacity import RetryCallState, retry, retry_if_exception, wait_random

from turnfold.contract.shards import META_SHARDS, NEW_SHARDS, UNSTORED_SHARDS
from turnfold.contract.tables import MetaRow, table
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings, SchemaMismatch, Unavailable
from turnfold_worker.operate.schema.drift import drift
from turnfold_worker.operate.schema.indexes import build_beside_writers, build_here
from turnfold_worker.operate.schema.mismatch import (
    CONTRACT_REMEDY,
    Mismatch,
    is_newer,
    mismatch_of,
    not_migrated,
    revision_of,
    serves,
)
from turnfold_worker.operate.schema.partitions import part
from turnfold_worker.operate.schema.statistics import sample_no_words
from turnfold_worker.operate.schema.steps import MIGRATIONS, steps, target, waits_to_contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

LOCK_SECONDS: Final = 60.0
"""How long one migration waits for another one to finish."""

_POLL_SECONDS: Final = 0.1

_SWITCH_SECONDS: Final = 5.0
"""Two processes that switch a new SQLite file to WAL at once may meet "database is locked" without a wait."""

_GAVE_WAY: Final = "lock timeout"
"""In PostgreSQL's error when a table was not free: everybody else waits behind who waits to alter it."""

_GIVE_WAY: Final = "SET LOCAL lock_timeout = '1s'"

DRIFT_REMEDY: Final = (
    "the tables were changed by hand, or made by a version between two releases: "
    "undo that, or start with an empty database"
)
"""What to do about a database at this version's revision whose tables are not this version's."""

_ADVISORY_LOCK: Final = 0x7475726E666F6C64
"""Key of PostgreSQL's advisory lock: 'turnfold' in ASCII."""


def upgrade(database_url: str, *, shards: int = 0, contract: bool = False, partitions: int = 0) -> None:
    """Create or expand the schema; a database that is up to date stays as it is. With `contract`, contract it, too.

    A new one stores that its inboxes are in so many `shards` (0: 256); any other keeps its number. A new one on
    PostgreSQL has its large tables in so many hash `partitions`, or whole (0).

    One transaction: it is done whole or not at all. Indexes of tables that were there before are built after it, on
    PostgreSQL while others write. Makes SQLite's file, but not its folder. A database that a newer version expanded,
    and that still serves this one, stays as it is.
    Raises `Unavailable` when the database cannot be opened or stays locked for a minute, `SchemaMismatch` for one that
    a newer version or another application made, or that holds only some of our tables, `InvalidSettings` for another
    number of shards than is stored, and for partitions of a database that is not new.
    """
    with _openable():
        _upgrade(database_url, shards, contract=contract, partitions=partitions)


def _is_locked(error: BaseException) -> bool:
    return isinstance(error, OperationalError) and any(words in str(error.orig) for words in ("locked", _GAVE_WAY))


def _gives_up(attempts: RetryCallState) -> bool:
    error = attempts.outcome.exception() if attempts.outcome else None
    patience = LOCK_SECONDS if _GAVE_WAY in str(error) else _SWITCH_SECONDS
    return (attempts.seconds_since_start or 0.0) > patience


@retry(retry=retry_if_exception(_is_locked), stop=_gives_up, wait=wait_random(0.05, 0.3), reraise=True)
def _upgrade(database_url: str, shards: int, *, contract: bool, partitions: int) -> None:
    with _locked(database_url) as connection:
        mismatch = mismatch_of(connection)
        if mismatch is not None and not mismatch.migrates:
            raise SchemaMismatch(mismatch.reason, remedy=mismatch.remedy)
        revision = revision_of(connection)
        if partitions and revision is not None:
            msg = "--partitions is a choice at the first migration, and the database was migrated before"
            raise InvalidSettings(
                msg, remedy="leave it out, or move the conversations to a new database: `turnfold export --all`"
            )
        if is_newer(connection, revision):
            return
        to = target(revision, steps(), contract=contract)
        if to != revision:
            command.upgrade(configuration(connection), str(to))
        if partitions:
            part(connection, partitions)
        sample_no_words(connection)
        _store_shards(connection, shards, is_new=revision is None)
        if is_sqlite := connection.dialect.name == "sqlite":
            build_here(connection)
    if not is_sqlite:
        # Its own transaction holds the lock and looks at nothing: a build waits for all who have a snapshot.
        with _locked(database_url):
            build_beside_writers(database_url)


def _store_shards(connection: Connection, shards: int, *, is_new: bool) -> None:
    meta = table(MetaRow)
    rows = {row.key: row.value for row in connection.execute(select(meta.c.key, meta.c.value))}
    if META_SHARDS not in rows:
        number = (shards or NEW_SHARDS) if is_new else UNSTORED_SHARDS
        connection.execute(meta.insert(), {"key": META_SHARDS, "value": str(number)})
        rows[META_SHARDS] = str(number)
    if shards and str(shards) != rows[META_SHARDS]:
        msg = f"TURNFOLD_SHARDS is {shards}, and the database says that the inboxes are in {rows[META_SHARDS]} shards"
        raise InvalidSettings(msg, remedy="leave it out: the number stays as it was stored at first")


def current(database_url: str) -> str | None:
    """The revision that the database is at; None before the first migration or without a database."""
    try:
        with _reading(database_url) as connection:
            return revision_of(connection)
    except Unavailable as error:
        if make_url(database_url).get_backend_name() == "sqlite" and "unable to open" in str(error):
            return None
        raise


def mismatch(database_url: str) -> Mismatch | None:
    """Why this version does not work with the database; None when it does."""
    if not _exists(database_url):
        return not_migrated(None)
    with _reading(database_url) as connection:
        return mismatch_of(connection)


def check(database_url: str) -> list[str]:
    """What differs between the database and the schema of this version, a line each; empty when nothing does.

    Tables of others beside ours are no difference, nor is what a newer version added to ours.
    """
    if (found := mismatch(database_url)) is not None:
        return [str(found)]
    with _reading(database_url) as connection:
        return drift(connection, newer=is_newer(connection, revision_of(connection)))


def state(database_url: str) -> str:
    """Where the database stands, and what remains to be done there, in a sentence."""
    with _reading(database_url) as connection:
        revision, versions = revision_of(connection), serves(connection)
        sentence = f"the database is at revision {revision} and serves schema version {versions}"
        if is_newer(connection, revision):
            return f"{sentence}: a newer version migrated it, and it serves this one, too"
        return f"{sentence}: {CONTRACT_REMEDY}" if waits_to_contract(revision, steps()) else sentence


@contextmanager
def _reading(database_url: str) -> Iterator[Connection]:
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True)
    try:
        with _openable(), engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _exists(database_url: str) -> bool:
    """False for a SQLite file that is not there. Raises `InvalidSettings` for what is no URL of a database."""
    connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True).dispose()
    url = make_url(database_url)
    return url.get_backend_name() != "sqlite" or Path(str(url.database)).expanduser().exists()


def configuration(connection: Connection) -> Config:
    """Alembic's configuration for a connection that is already in a transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _locked(database_url: str) -> Iterator[Connection]:
    """A connection in a transaction that keeps other migrations out until it ends."""
    engine = connect(database_url, write=True, timeout_seconds=LOCK_SECONDS, create=True, pooler=True)
    try:
        # On SQLite the write engine's BEGIN IMMEDIATE is the lock.
        with _postgresql_lock(engine) if engine.dialect.name == "postgresql" else engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _postgresql_lock(engine: Engine) -> Iterator[Connection]:
    """By asking again and again: who waits inside a statement has a snapshot, for which an index's build would wait."""
    end = time.monotonic() + LOCK_SECONDS
    while True:
        with engine.begin() as connection:
            if connection.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK}):
                connection.execute(text(_GIVE_WAY))
                yield connection
                return
        if time.monotonic() > end:
            msg = "another migration of the database is at work, perhaps building an index"
            raise Unavailable(msg, remedy="run `turnfold migrate` again when it is done")
        time.sleep(_POLL_SECONDS)


@contextmanager
def _openable() -> Iterator[None]:
    """Turn into `Unavailable` what a database says that is away, or that is none: any file has a name."""
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        problem, remedy = _unreachable(error)
        raise Unavailable(problem, remedy=remedy) from error


def _unreachable(error: DatabaseError) -> tuple[str, str]:
    """What is wrong, and the remedy."""
    reason = str(error.orig).strip().splitlines()[0] if error.orig is not None else type(error).__name__
    if "malformed" in reason:
        return f"the file of TURNFOLD_DATABASE_URL is damaged ({reason})", "restore a backup"
    if "is full" in reason:
        return f"the file of TURNFOLD_DATABASE_URL cannot grow ({reason})", "make room there"
    return (
        f"the database cannot be opened ({reason})",
        "check TURNFOLD_DATABASE_URL, and that its server exists, or its folder and this user may write to it",
    )
