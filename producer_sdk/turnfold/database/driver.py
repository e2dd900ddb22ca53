"""Statements executed on the driver directly: compiled once, on connections that stay open.

SQLAlchemy builds the statements, opens the connections and translates errors; its remaining overhead per statement is
several times the cost of the few rows of a hot read.
"""

from __future__ import annotations

import threading
from collections import deque, namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any, Final

from sqlalchemy import Engine, Executable, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import PoolProxiedConnection, QueuePool, StaticPool

from turnfold.database.engines import CONNECTIONS
from turnfold.database.processor_share import waiting
from turnfold.database.session_settings import READ_ONLY, set_in_transactions

MOST_HELD: Final = CONNECTIONS
"""Connections kept open between reads; more concurrent threads have to wait."""

NO_COLUMNS: Final = select().selected_columns
Row = tuple[Any, ...]
Call = tuple[Executable, Mapping[str, Any]]
"""A statement and its parameters."""


class _Compiled:
    """A statement compiled for the driver."""

    def __init__(self, statement: Any, dialect: Any) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        self._constants = {name: constant for name, constant in compiled.params.items() if constant is not None}
        self._order: list[str] | None = compiled.positiontup
        columns = getattr(statement, "selected_columns", NO_COLUMNS)
        named: Any = namedtuple("Row", columns.keys())  # type: ignore[misc]  # noqa: PYI024 - its fields are the statement's columns
        self._row = named._make
        self._converters = [
            (at, convert)
            for at, column in enumerate(columns)
            if (convert := column.type.dialect_impl(dialect).result_processor(dialect, None)) is not None
        ]

    def parameters(self, given: Mapping[str, Any]) -> Any:
        values = {**self._constants, **given}
        return values if self._order is None else [values[name] for name in self._order]

    def named(self, row: Row) -> Any:
        """Convert a row to a named tuple, with times and JSON in the contract's types."""
        if not self._converters:
            return self._row(row)
        values = list(row)
        for at, convert in self._converters:
            if values[at] is not None:
                values[at] = convert(values[at])
        return self._row(values)


class DriverConnection:
    """One connection. Each statement is a snapshot by itself unless a `snapshot` is open."""

    def __init__(self, owner: Driver, driver: Any, keep: PoolProxiedConnection | None) -> None:
        self._owner = owner
        self.driver = driver
        """The driver's own connection."""
        self._keep = keep
        """Keeps alive an in-memory database, which exists as long as its one connection."""
        self._snapshot = ExitStack()
        """Cleanup of the open snapshot; empty without one."""
        self._in_pipeline = False

    def rows(self, statement: Executable, parameters: Mapping[str, Any]) -> list[Row]:
        """Return the raw rows of a statement: see `Driver.naming`."""
        (rows,) = self.batch((statement, parameters))
        return rows

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run all statements inside on one state of the database.

        On PostgreSQL it is one pipeline, so that BEGIN and COMMIT cost no extra round trips.
        """
        if self._owner.pipelines:
            self._snapshot.enter_context(self._pipeline())
        # An explicit BEGIN, although a pipeline is a transaction: a pooler may drop session settings.
        self.driver.execute(self._owner.begin)
        if self._owner.set_in_transactions is not None:
            self.driver.execute(self._owner.set_in_transactions)
        self._snapshot.callback(self.driver.execute, "COMMIT")
        yield
        self._snapshot.close()

    def batch(self, *calls: Call, last: bool = False) -> list[list[Row]]:
        """Return the rows of several statements, in one round trip if the server can; `last` also ends the snapshot."""
        if not self._owner.pipelines:
            # Without lending the share: a statement takes a tenth of a millisecond, and a switch of threads would delay
            # the event loop longer than that.
            results = [self._run(*self._owner.prepared(*call)) for call in calls]
            if last:
                self._snapshot.close()
            return results
        with waiting():
            return self._in_one_round_trip(calls, last=last)

    def _in_one_round_trip(self, calls: Sequence[Call], *, last: bool) -> list[list[Row]]:
        cursors = [self.driver.cursor() for _ in calls]
        is_alone = not self._in_pipeline
        sets = self._owner.set_in_transactions if is_alone else None
        with self._pipeline() if is_alone and (sets or len(calls) > 1) else nullcontext():
            if sets is not None:
                # In effect until the end of the pipeline, which is a transaction by itself.
                self.driver.execute(sets)
            for cursor, call in zip(cursors, calls, strict=True):
                cursor.execute(*self._owner.prepared(*call))
        if last:
            self._snapshot.close()
        return [cursor.fetchall() for cursor in cursors]

    @contextmanager
    def _pipeline(self) -> Iterator[None]:
        self._in_pipeline = True
        with self.driver.pipeline():
            yield
        self._in_pipeline = False

    def close(self) -> None:
        """Close the connection, whatever its state."""
        with suppress(Exception):
            (self._keep or self.driver).close()

    def _run(self, sql: str, parameters: Any = ()) -> list[Row]:
        cursor = self.driver.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


def _keep_plans(driver: Any, *, in_session: bool) -> None:
    """Let psycopg and PostgreSQL keep one plan per statement, if they have a session to keep it in.

    psycopg sends an integer in the smallest type that fits and prepares a statement per combination of types: one with
    a hundred numbers was planned anew at each read, which took longer than everything else.
    """
    from psycopg.types.numeric import Int8Dumper

    driver.autocommit = True
    driver.adapters.register_dumper(int, Int8Dumper)
    if in_session:
        # Generic plans are good enough, as every statement begins at a key.
        driver.execute("SET plan_cache_mode = force_generic_plan")


class Driver:
    """The open connections of one engine. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held: deque[DriverConnection] = deque()
        self._compiled: dict[Executable, _Compiled] = {}
        self._lock = threading.Lock()
        self._free = threading.Semaphore(MOST_HELD)
        pool = engine.pool
        self._patience_seconds = pool.timeout() if isinstance(pool, QueuePool) else None
        self._closings = 0
        """Number of calls to `close`: connections opened before the last one are not kept."""
        self.pipelines = engine.dialect.name == "postgresql"
        self.begin = READ_ONLY if self.pipelines else "BEGIN"
        self.set_in_transactions = set_in_transactions(engine)
        """Behind a pooler: the statement that sets in a transaction what a session cannot."""

    @contextmanager
    def connection(self) -> Iterator[DriverConnection]:
        """Borrow a connection. Raises SQLAlchemy's errors, also for driver errors inside the block."""
        self._wait_for_one()
        try:
            with self._one() as held:
                yield held
        finally:
            self._free.release()

    def _wait_for_one(self) -> None:
        if self._free.acquire(blocking=False):
            return
        with waiting():
            is_free = self._free.acquire(timeout=self._patience_seconds)
        if not is_free:
            raise PoolTimeout(f"all {MOST_HELD} connections were in use for {self._patience_seconds} s")

    @contextmanager
    def _one(self) -> Iterator[DriverConnection]:
        closings = self._closings
        try:
            held = self._held.pop()
        except IndexError:
            with waiting():
                held = self._opened()
        try:
            yield held
        except self._engine.dialect.loaded_dbapi.Error as error:
            named = self._named(error, held)
            held.close()
            raise named from error
        except BaseException:
            held.close()
            raise
        with self._lock:
            keeps = closings == self._closings
            if keeps:
                self._held.append(held)
        if not keeps:
            held.close()

    def prepared(self, statement: Executable, parameters: Mapping[str, Any]) -> tuple[str, Any]:
        """Return the text and parameters of a statement for the driver."""
        compiled = self._of(statement)
        return compiled.sql, compiled.parameters(parameters)

    def naming(self, statement: Executable) -> Callable[[Row], Any]:
        """Return the function that converts a statement's row to a named tuple with the contract's types."""
        return self._of(statement).named

    def close(self) -> None:
        """Close idle connections; those in use are closed on return."""
        with self._lock:
            self._closings += 1
        with suppress(IndexError):
            while True:
                self._held.pop().close()

    def _of(self, statement: Executable) -> _Compiled:
        compiled = self._compiled.get(statement)
        if compiled is None:
            with self._lock:
                compiled = self._compiled[statement] = _Compiled(statement, self._engine.dialect)
        return compiled

    def _opened(self) -> DriverConnection:
        proxied = self._engine.raw_connection()
        driver = proxied.driver_connection
        if isinstance(self._engine.pool, StaticPool):
            return DriverConnection(self, driver, proxied)
        # Detached: the pool's own connections remain for reads through SQLAlchemy.
        proxied.detach()
        if self.pipelines:
            _keep_plans(driver, in_session=self.set_in_transactions is None)
        return DriverConnection(self, driver, None)

    def _named(self, error: Exception, held: DriverConnection) -> BaseException:
        """Translate a driver's error to SQLAlchemy's. After a lost connection, all others are dropped untried."""
        dialect = self._engine.dialect
        lost = dialect.is_disconnect(error, held.driver, None)  # type: ignore[arg-type]  # the driver's own
        if lost:
            self.close()
            self._engine.dispose()
        return DBAPIError.instance(
            None, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, connection_invalidated=lost,
            dialect=dialect,
        )  # fmt: skip
