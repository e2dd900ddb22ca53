"""PostgreSQL settings of a session: set when it begins, or, behind a pooler, in each transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, event

from turnfold.errors import InvalidSettings

_SET_IN_TRANSACTIONS: Final = "turnfold_set_in_transactions"
"""Execution option of an engine: the statement that sets in a transaction what a session cannot."""

READ_ONLY: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

DROPPED: Final = "TURNFOLD_DATABASE_URL points to a pooler, such as PgBouncer, that drops session settings"
NEEDS_POOLER: Final = "set TURNFOLD_DATABASE_POOLER=on, or connect to PostgreSQL directly"


DROPS_OPTIONS: Final = "unsupported startup parameter"
"""PgBouncer's message for settings in a startup packet, unless it is configured to ignore them."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Maximum wait for a statement and for a lock, in milliseconds; times are in UTC."""

    milliseconds: int

    def _values(self) -> dict[str, str]:
        # In UTC, even the earliest times of a caller stay within Python's range.
        waits = str(self.milliseconds)
        return {"statement_timeout": waits, "lock_timeout": waits, "timezone": "UTC"}

    @property
    def startup_options(self) -> str:
        """The settings as libpq's `options`, for a session."""
        return " ".join(f"-c {name}={setting}" for name, setting in self._values().items())

    @property
    def in_transaction(self) -> str:
        """The settings as one statement, in effect until the transaction ends; pipelines reject several in one text."""
        return "SELECT " + ", ".join(
            f"set_config('{name}', '{setting}', true)" for name, setting in self._values().items()
        )

    def set_in_transactions(self, engine: Engine, *, write: bool) -> Engine:
        """Begin each transaction with the settings, in one round trip. The engine must be in autocommit mode."""
        begin = f"{'BEGIN' if write else READ_ONLY}; {self.in_transaction}"

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine.execution_options(**{_SET_IN_TRANSACTIONS: self.in_transaction})

    def check_sessions(self, engine: Engine) -> None:
        """Make the engine reject sessions whose settings were dropped at their start.

        A pooler that drops them also hands a session with prepared statements to other clients, which would execute
        those. Connecting the engine then raises `InvalidSettings`.
        """
        kept = f"SELECT current_setting('statement_timeout')::interval = '{self.milliseconds} ms'::interval"

        @event.listens_for(engine, "connect")
        def _check(driver: Any, _: object) -> None:
            driver.autocommit = True
            ((is_kept,),) = driver.execute(kept).fetchall()
            driver.autocommit = False
            if not is_kept:
                driver.close()
                raise InvalidSettings(DROPPED, remedy=NEEDS_POOLER)


def set_in_transactions(engine: Engine) -> str | None:
    """Return the statement that begins an engine's transactions behind a pooler; None without a pooler."""
    statement: str | None = engine.get_execution_options().get(_SET_IN_TRANSACTIONS)
    return statement
