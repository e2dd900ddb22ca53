"""Bring a database to the schema of this version, however many processes try at once."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, inspect, make_url, select, text
from sqlalchemy.exc import DatabaseError, OperationalError
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from turnfold.contract.shards import META_SHARDS, NEW_SHARDS, UNSTORED_SHARDS, Layout
from turnfold.contract.tables import Base, MetaRow, table
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings, SchemaMismatch, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

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

BROKEN_REMEDY: Final = "restore it whole, or start with an empty database"
"""What to do about tables of ours that came there by no migration."""

FOREIGN_REMEDY: Final = "give Turnfold a database of its own, and name it in TURNFOLD_DATABASE_URL"
"""What to do about a database that another application has made."""

_ADVISORY_LOCK: Final = 0x7475726E666F6C64
"""Key of PostgreSQL's advisory lock: 'turnfold' in ASCII."""


def upgrade(database_url: str, *, shards: int = 0) -> None:
    """Create or upgrade the schema; a database that is up to date stays as it is.

    A new one stores that its inboxes are in so many `shards` (0: 256); any other keeps its number.

    One transaction: it is done whole or not at all. Makes SQLite's file, but not its folder.
    Raises `Unavailable` when the database cannot be opened or stays locked for a minute, `SchemaMismatch` for one that
    a newer version or another application made, or that holds only some of our tables, `InvalidSettings` for another
    number of shards than is stored.
    """
    with _openable():
        _upgrade(database_url, shards)


def _is_locked(error: BaseException) -> bool:
    return isinstance(error, OperationalError) and "locked" in str(error.orig)


# Two processes that switch a new SQLite file to WAL at once may meet "database is locked" without a wait.
@retry(retry=retry_if_exception(_is_locked), stop=stop_after_delay(5), wait=wait_random(0.05, 0.3), reraise=True)
def _upgrade(database_url: str, shards: int) -> None:
    with _locked(database_url) as connection:
        mismatch = _mismatch(connection)
        if mismatch is not None and not mismatch.migrates:
            raise SchemaMismatch(mismatch.reason, remedy=mismatch.remedy)
        is_new = _revision(connection) is None
        command.upgrade(configuration(connection), "head")
        _store_shards(connection, shards, is_new=is_new)


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


def store_layout(engine: Engine, layout: Layout) -> None:
    """Write how inboxes are laid out into `meta`, in one transaction."""
    meta = table(MetaRow)
    with engine.begin() as connection:
        for key, value in layout.to_meta().items():
            connection.execute(meta.delete().where(meta.c.key == key))
            if value:
                connection.execute(meta.insert(), {"key": key, "value": value})


def current(database_url: str) -> str | None:
    """The revision that the database is at; None before the first migration or without a database."""
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True)
    try:
        with _openable(), engine.connect() as connection:
            return _revision(connection)
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


class Mismatch(NamedTuple):
    """Why a database is not at this version's revision, and what to do."""

    reason: str
    remedy: str
    migrates: bool = False
    """Whether a migration mends it."""

    def __str__(self) -> str:
        return self.reason if self.migrates else f"{self.reason}: {self.remedy}"


def mismatch(database_url: str) -> Mismatch | None:
    """Why the database is not at this version's revision; None when it is."""
    revision = current(database_url)
    if revision is None and not _exists(database_url):
        return _not_migrated(revision)
    with _reading(database_url) as connection:
        return _mismatch(connection)


def check(database_url: str) -> list[str]:
    """What differs between the database and the schema of this version, a line each; empty when nothing does.

    Tables of others beside ours are no difference.
    """
    if (found := mismatch(database_url)) is not None:
        return [str(found)]
    with _reading(database_url) as connection:
        return _drift(connection)


@contextmanager
def _reading(database_url: str) -> Iterator[Connection]:
    engine = connect(database_url, write=False, timeout_seconds=LOCK_SECONDS, pooler=True)
    try:
        with _openable(), engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _exists(database_url: str) -> bool:
    """False for a SQLite file that is not there."""
    url = make_url(database_url)
    return url.get_backend_name() != "sqlite" or Path(str(url.database)).expanduser().exists()


def _revision(connection: Connection) -> str | None:
    """At which revision a database says that it is; of another application's there may be several."""
    return ", ".join(sorted(MigrationContext.configure(connection).get_current_heads())) or None


def _is_known(revision: str) -> bool:
    return any(script.revision == revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions())


def _not_migrated(revision: str | None) -> Mismatch:
    reason = f"the database is at revision {revision or 'none'}, this version needs {head()}"
    return Mismatch(reason, "run `turnfold migrate`", migrates=True)


def _mismatch(connection: Connection) -> Mismatch | None:
    revision = _revision(connection)
    if revision == head():
        return None
    if revision is not None and _is_known(revision):
        return _not_migrated(revision)
    return _of_other_tables(connection, revision)


def _of_other_tables(connection: Connection, revision: str | None) -> Mismatch:
    """Why no migration of ours has led to what stands there."""
    tables = inspect(connection)
    named_alike = sorted(set(tables.get_table_names()) & Base.metadata.tables.keys())
    is_ours = _SIGNS.keys() <= set(named_alike) and all(
        columns <= {column["name"] for column in tables.get_columns(table)} for table, columns in _SIGNS.items()
    )
    if revision is not None:
        if is_ours:
            reason = f"the database is at revision {revision}, this version needs {head()}: a newer version made it"
            return Mismatch(reason, NEWER_REMEDY)
        reason = f"another application keeps its revision ({revision}) in the database's alembic_version"
        return Mismatch(reason, FOREIGN_REMEDY)
    if is_ours:
        reason = (
            f"the database holds {len(named_alike)} of {len(Base.metadata.tables)} tables, and does not say at which "
            "revision they are: a copy or a restore was broken off"
        )
        return Mismatch(reason, BROKEN_REMEDY)
    if named_alike:
        return Mismatch(f"another application has tables of these names: {', '.join(named_alike)}", FOREIGN_REMEDY)
    return _not_migrated(revision)


_SIGNS: Final = {"conversation": {"tenant", "external_id"}, "meta": {"key", "value"}}
"""By which tables of ours are known from others of the same names."""


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

    def can_be_compared(part: Any, name: str | None, kind: str, *_: object) -> bool:
        table = part.name if kind == "table" else getattr(getattr(part, "table", None), "name", None)
        return table in Base.metadata.tables and not (kind == "index" and name in by_name_only)

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
