"""Engines: one way to open SQLite and PostgreSQL, for readers and for writers."""

from __future__ import annotations

import math
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool, StaticPool

from turnfold.database.session_settings import SessionSettings
from turnfold.errors import InvalidSettings
from turnfold.settings import Settings

CONNECTIONS: Final = 8
"""Sessions that an engine keeps, and opens at most: a new one costs PostgreSQL more than several reads do."""


def database(settings: Settings, *, write: bool, timeout_seconds: float | None = None, replica: bool = False) -> Engine:
    """An engine for the database of `settings`, or its replica, by default as patient as they are.

    Raises as `connect`.
    """
    url = settings.read_database_url if replica else settings.database_url
    patience = settings.timeout_seconds if timeout_seconds is None else timeout_seconds
    return connect(url, write=write, timeout_seconds=patience, pooler=settings.database_pooler)


def connect(
    database_url: str, *, write: bool, timeout_seconds: float, create: bool = False, pooler: bool = False
) -> Engine:
    """An engine for SQLite or PostgreSQL. Nothing is opened until it is used.

    A write engine takes SQLite's write lock when a transaction begins (`BEGIN IMMEDIATE`: a read that turns into
    a write fails under load otherwise). A read engine on PostgreSQL runs read-only in REPEATABLE READ; on SQLite
    a transaction is a snapshot by itself. `create` makes SQLite's file, for this user alone.
    `pooler` is for PostgreSQL behind a pooler that shares sessions among transactions: nothing is kept in a session.
    Raises `InvalidSettings` for a URL that names neither.
    """
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        msg = f"TURNFOLD_DATABASE_URL is not a database URL ({error})"
        raise InvalidSettings(msg, remedy="use sqlite:///path or postgresql+psycopg://…") from error
    except ValueError:
        # Without the value: where a password has a character that ends it, its rest is taken for the port.
        msg = "TURNFOLD_DATABASE_URL has a port that is no number"
        raise InvalidSettings(
            msg,
            remedy=(
                "use postgresql+psycopg://user:password@host:5432/database, with @, : and / in the password as %40, "
                "%3A and %2F"
            ),
        ) from None
    backend = url.get_backend_name()
    if backend == "sqlite":
        return _sqlite(url, write=write, timeout_seconds=timeout_seconds, create=create)
    if url.drivername in {"postgresql", "postgresql+psycopg"}:
        return _postgresql(url, write=write, timeout_seconds=timeout_seconds, pooler=pooler)
    msg = f"TURNFOLD_DATABASE_URL names {url.drivername}"
    raise InvalidSettings(msg, remedy="use sqlite:///path or postgresql+psycopg://user:password@host:5432/database")


def _sqlite(url: URL, *, write: bool, timeout_seconds: float, create: bool) -> Engine:
    in_memory = url.database in {None, "", ":memory:"}

    def open_connection() -> sqlite3.Connection:
        # An isolation level of None stops the driver from beginning transactions on its own.
        if in_memory:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        else:
            file = Path(str(url.database)).expanduser()
            if create:
                _make_for_this_user(file)
            path = quote(str(file))
            connection = sqlite3.connect(
                f"file:{path}?mode={'rwc' if create else 'rw'}",
                uri=True, timeout=timeout_seconds, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
        try:
            for pragma in _PRAGMAS if not in_memory else _MEMORY_PRAGMAS:
                connection.execute(pragma)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    # One shared connection is what keeps an in-memory database alive.
    pool: dict[str, Any] = {"poolclass": StaticPool} if in_memory else _bounded_pool(timeout_seconds)
    engine = create_engine("sqlite://", creator=open_connection, **_QUIET, **pool)
    begin = "BEGIN IMMEDIATE" if write else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _bounded_pool(timeout_seconds: float) -> dict[str, Any]:
    """Threads wait for one of its connections: one more, closed when its read is over, costs what many reads do."""
    return {"poolclass": QueuePool, "pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": timeout_seconds}


def _make_for_this_user(file: Path) -> None:
    """Make a file that holds what people say; its logs get the same rights. What is wrong with it SQLite says.

    One that is there is not opened: to close it would drop this process's locks on it, and with them what other
    connections of the process read.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


_QUIET: dict[str, Any] = {"hide_parameters": True}
"""Parameters are content, which must not reach a log or an error's text."""

_MEMORY_PRAGMAS = ("PRAGMA foreign_keys=ON",)
_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    # NORMAL may lose the last commits at a power cut, and the inbox is trimmed after the commit.
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    # What is forgotten is overwritten, not only unlinked.
    "PRAGMA secure_delete=ON",
    # Its file is cut to this after a checkpoint: a long write would leave it as long as it was.
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA mmap_size=268435456",
)


def _postgresql(url: URL, *, write: bool, timeout_seconds: float, pooler: bool) -> Engine:
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    milliseconds = max(1, int(timeout_seconds * 1000))
    session = SessionSettings(milliseconds)
    # A statement that is prepared under a name stays in a session, where another client would execute it.
    kept: dict[str, Any] = {"prepare_threshold": None} if pooler else {"options": session.startup_options}
    try:
        engine = create_engine(
            url,
            **_QUIET,
            **_bounded_pool(timeout_seconds),
            isolation_level="AUTOCOMMIT" if pooler else None,
            connect_args={
                "connect_timeout": max(2, math.ceil(timeout_seconds)), "tcp_user_timeout": milliseconds, **kept,
            },
        )  # fmt: skip
    except ModuleNotFoundError as error:
        msg = "PostgreSQL needs its driver, psycopg 3"
        raise InvalidSettings(msg, remedy="pip install 'turnfold[postgres]', or 'turnfold-worker[postgres]'") from error
    if pooler:
        return session.set_in_transactions(engine, write=write)
    session.check_sessions(engine)
    if write:
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
