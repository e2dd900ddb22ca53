"""Engines for SQLite and PostgreSQL, for readers and writers."""

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
"""Pool size of an engine, without overflow: opening a session costs PostgreSQL more than several reads."""


def database(settings: Settings, *, write: bool, timeout_seconds: float | None = None, replica: bool = False) -> Engine:
    """Create an engine for the database of `settings`, or its replica, with the timeout of the settings by default.

    Raises as `connect`.
    """
    url, variable = settings.database_url, "TURNFOLD_DATABASE_URL"
    if replica:
        url, variable = settings.read_database_url, "TURNFOLD_READ_DATABASE_URL"
    patience = settings.timeout_seconds if timeout_seconds is None else timeout_seconds
    return connect(url, write=write, timeout_seconds=patience, pooler=settings.database_pooler, variable=variable)


def connect(
    database_url: str, *, write: bool, timeout_seconds: float, create: bool = False, pooler: bool = False,
    variable: str = "TURNFOLD_DATABASE_URL",
) -> Engine:  # fmt: skip
    """Create an engine for SQLite or PostgreSQL, without connecting.

    A write engine takes SQLite's write lock at the start of a transaction (`BEGIN IMMEDIATE`: otherwise, upgrading a
    read to a write fails under load). A read engine on PostgreSQL runs read-only in REPEATABLE READ; on SQLite a
    transaction is a snapshot by itself. `create` creates SQLite's file, readable by this user only. `pooler` is for
    PostgreSQL behind a pooler that shares sessions among transactions: nothing is kept in a session. Raises
    `InvalidSettings`, which names `variable`, for a URL of another database.
    """
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        msg = f"{variable} is not a database URL ({error})"
        raise InvalidSettings(msg, remedy="use sqlite:///path or postgresql+psycopg://…") from error
    except ValueError:
        # Omit the value: if a password contains an unescaped delimiter, its rest is taken for the port.
        msg = f"{variable} has a port that is not a number"
        raise InvalidSettings(
            msg,
            remedy=(
                "use postgresql+psycopg://user:password@host:5432/database, and write @, : and / in the password as "
                "%40, %3A and %2F"
            ),
        ) from None
    backend = url.get_backend_name()
    if backend == "sqlite":
        return _sqlite(url, write=write, timeout_seconds=timeout_seconds, create=create)
    if url.drivername in {"postgresql", "postgresql+psycopg"}:
        return _postgresql(url, write=write, timeout_seconds=timeout_seconds, pooler=pooler)
    msg = f"{variable} names an unsupported database, {url.drivername}"
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

    # An in-memory database lives as long as its one shared connection.
    pool: dict[str, Any] = {"poolclass": StaticPool} if in_memory else _bounded_pool(timeout_seconds)
    engine = create_engine("sqlite://", creator=open_connection, **_QUIET, **pool)
    begin = "BEGIN IMMEDIATE" if write else "BEGIN"

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _bounded_pool(timeout_seconds: float) -> dict[str, Any]:
    """Options of a pool without overflow: opening and closing an extra connection costs as much as many reads."""
    return {"poolclass": QueuePool, "pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": timeout_seconds}


def _make_for_this_user(file: Path) -> None:
    """Create SQLite's file with access for this user only; its log files inherit that. SQLite reports any problem.

    An existing file is not opened: closing it would drop this process's locks on it, which other connections of the
    process rely on.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


_QUIET: dict[str, Any] = {"hide_parameters": True}
"""Parameters are content, which must not reach a log or an error message."""

_MEMORY_PRAGMAS = ("PRAGMA foreign_keys=ON",)
_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    # NORMAL may lose the last commits at a power cut, and the inbox is trimmed after the commit.
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    # Overwrite deleted content instead of only unlinking it.
    "PRAGMA secure_delete=ON",
    # Truncate the log to this size after a checkpoint; a long write would leave it large.
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA mmap_size=268435456",
)


def _postgresql(url: URL, *, write: bool, timeout_seconds: float, pooler: bool) -> Engine:
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    milliseconds = max(1, int(timeout_seconds * 1000))
    session = SessionSettings(milliseconds)
    # A prepared statement stays in its session, where another client could execute it.
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
