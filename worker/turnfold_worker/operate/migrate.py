"""Bring a database to the schema of this version; safe when several processes try at once.

There are two steps, so that two versions may run at the same time: `upgrade` expands the schema, and
`upgrade(contract=True)` contracts it once no process of the older version is left. See
`turnfold.contract.schema_range`.
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

from turnfold.contract.shards import META_SERVERS, META_SHARDS, NEW_SHARDS, UNSTORED_SHARDS
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
"""How long a migration waits for another to finish."""

_POLL_SECONDS: Final = 0.1

_SWITCH_SECONDS: Final = 5.0
"""How long to retry: processes that switch a new SQLite file to WAL at once get "database is locked" without a wait."""

_GAVE_WAY: Final = "lock timeout"
"""Part of PostgreSQL's error when a table was locked: an ALTER that waits would block every later statement on it."""

_GIVE_WAY: Final = "SET LOCAL lock_timeout = '1s'"

DRIFT_REMEDY: Final = (
    "the tables were changed by hand, or created by an unreleased version: undo that, or start with an empty database"
)
"""Remedy for a database at this version's revision whose tables differ from this version's."""

_ADVISORY_LOCK: Final = 0x7475726E666F6C64
"""Key of PostgreSQL's advisory lock: 'turnfold' in ASCII."""


def upgrade(
    database_url: str, *, shards: int = 0, servers: int = 1, contract: bool = False, partitions: int = 0
) -> None:
    """Create or expand the schema, and with `contract` contract it; an up-to-date database is left unchanged.

    A new database stores the number of `shards` of its inboxes (0: 256) and of Redis `servers` that they are on; an
    existing one keeps its numbers. A new PostgreSQL database splits its large tables into `partitions` hash partitions
    (0: not partitioned).

    The migration is one transaction, so it is applied completely or not at all. Indexes of existing tables are built
    afterwards, on PostgreSQL without blocking writers. Creates the SQLite file, but not its folder. A database that a
    newer version expanded and that still serves this one is left unchanged.

    Raises `Unavailable` when the database cannot be opened or stays locked for a minute, `SchemaMismatch` for a
    database made by a newer version or another application or with only some of our tables, and `InvalidSettings` for a
    number of shards other than the stored one or for partitions of an existing database.
    """
    with _openable():
        _upgrade(database_url, shards, servers, contract=contract, partitions=partitions)


def _is_locked(error: BaseException) -> bool:
    return isinstance(error, OperationalError) and any(words in str(error.orig) for words in ("locked", _GAVE_WAY))


def _gives_up(attempts: RetryCallState) -> bool:
    error = attempts.outcome.exception() if attempts.outcome else None
    patience = LOCK_SECONDS if _GAVE_WAY in str(error) else _SWITCH_SECONDS
    return (attempts.seconds_since_start or 0.0) > patience


@retry(retry=retry_if_exception(_is_locked), stop=_gives_up, wait=wait_random(0.05, 0.3), reraise=True)
def _upgrade(database_url: str, shards: int, servers: int, *, contract: bool, partitions: int) -> None:
    with _locked(database_url) as connection:
        mismatch = mismatch_of(connection)
        if mismatch is not None and not mismatch.migrates:
            raise SchemaMismatch(mismatch.reason, remedy=mismatch.remedy)
        revision = revision_of(connection)
        if partitions and revision is not None:
            msg = "--partitions works only for the first migration, and this database is already migrated"
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
        _store_shards(connection, shards, servers, is_new=revision is None)
        if is_sqlite := connection.dialect.name == "sqlite":
            build_here(connection)
    if not is_sqlite:
        # This transaction only holds the advisory lock and reads nothing: a concurrent index build waits for every
        # snapshot.
        with _locked(database_url):
            build_beside_writers(database_url)


def _store_shards(connection: Connection, shards: int, servers: int, *, is_new: bool) -> None:
    meta = table(MetaRow)
    rows = {row.key: row.value for row in connection.execute(select(meta.c.key, meta.c.value))}
    if META_SHARDS not in rows:
        number = (shards or NEW_SHARDS) if is_new else UNSTORED_SHARDS
        connection.execute(meta.insert(), {"key": META_SHARDS, "value": str(number)})
        rows[META_SHARDS] = str(number)
        if is_new and servers > 1:
            connection.execute(meta.insert(), {"key": META_SERVERS, "value": str(min(servers, number))})
    if shards and str(shards) != rows[META_SHARDS]:
        msg = f"TURNFOLD_SHARDS is {shards}, but the database has the inboxes in {rows[META_SHARDS]} shards"
        raise InvalidSettings(msg, remedy="unset it: the number stored by the first migration is used")


def current(database_url: str) -> str | None:
    """Return the database's revision; None before the first migration or when there is no database."""
    try:
        with _reading(database_url) as connection:
            return revision_of(connection)
    except Unavailable as error:
        if make_url(database_url).get_backend_name() == "sqlite" and "unable to open" in str(error):
            return None
        raise


def mismatch(database_url: str) -> Mismatch | None:
    """Return why this version does not work with the database; None when it does."""
    if not _exists(database_url):
        return not_migrated(None)
    with _reading(database_url) as connection:
        return mismatch_of(connection)


def check(database_url: str) -> list[str]:
    """List the differences between the database and this version's schema, one per line; empty when there are none.

    Foreign tables next to ours do not count as differences, nor do a newer version's additions to ours.
    """
    if (found := mismatch(database_url)) is not None:
        return [str(found)]
    with _reading(database_url) as connection:
        return drift(connection, newer=is_newer(connection, revision_of(connection)))


def state(database_url: str) -> str:
    """Describe the database's revision and what remains to be migrated, in a sentence."""
    with _reading(database_url) as connection:
        revision, versions = revision_of(connection), serves(connection)
        sentence = f"the database is at revision {revision} and serves schema version {versions}"
        if is_newer(connection, revision):
            return f"{sentence}: a newer version migrated it; it supports this version too"
        return f"{sentence}: {CONTRACT_REMEDY}" if waits_to_contract(revision, steps()) else sentence


def contract_pending(database_url: str) -> bool:
    """Tell whether `turnfold migrate --contract` has something left to remove."""
    return waits_to_contract(current(database_url), steps())


@contextmanager
def _reading(database_url: str) -> Iterator[Connection]:
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True)
    try:
        with _openable(), engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _exists(database_url: str) -> bool:
    """Return False for a missing SQLite file. Raises `InvalidSettings` for an invalid database URL."""
    connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True).dispose()
    url = make_url(database_url)
    return url.get_backend_name() != "sqlite" or Path(str(url.database)).expanduser().exists()


def configuration(connection: Connection) -> Config:
    """Return Alembic's configuration for a connection that is already in a transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _locked(database_url: str) -> Iterator[Connection]:
    """Yield a connection in a transaction that keeps other migrations out until it ends."""
    engine = connect(database_url, write=True, timeout_seconds=LOCK_SECONDS, create=True, pooler=True)
    try:
        # On SQLite the write engine's BEGIN IMMEDIATE is the lock.
        with _postgresql_lock(engine) if engine.dialect.name == "postgresql" else engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _postgresql_lock(engine: Engine) -> Iterator[Connection]:
    """Poll for the advisory lock: a blocked statement would hold a snapshot, and index builds wait for snapshots."""
    end = time.monotonic() + LOCK_SECONDS
    while True:
        with engine.begin() as connection:
            if connection.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK}):
                connection.execute(text(_GIVE_WAY))
                yield connection
                return
        if time.monotonic() > end:
            msg = "another migration of this database is running, perhaps building an index"
            raise Unavailable(msg, remedy="run `turnfold migrate` again when that has finished")
        time.sleep(_POLL_SECONDS)


@contextmanager
def _openable() -> Iterator[None]:
    """Convert errors from an unreachable, damaged or invalid database to `Unavailable`."""
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        problem, remedy = _unreachable(error)
        raise Unavailable(problem, remedy=remedy) from error


def _unreachable(error: DatabaseError) -> tuple[str, str]:
    """Return the problem and its remedy."""
    reason = str(error.orig).strip().splitlines()[0] if error.orig is not None else type(error).__name__
    if "malformed" in reason:
        return f"the file of TURNFOLD_DATABASE_URL is damaged ({reason})", "restore a backup"
    if "is full" in reason:
        return f"the file of TURNFOLD_DATABASE_URL cannot grow ({reason})", "free disk space"
    return (
        f"the database cannot be opened ({reason})",
        "check TURNFOLD_DATABASE_URL: the server must exist; for SQLite, the folder must exist and be writable",
    )
