"""What a session of PostgreSQL is set to: when it begins, or, behind a pooler, in each transaction by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, event

from turnfold.errors import InvalidSettings

_SET_IN_TRANSACTIONS: Final = "turnfold_set_in_transactions"
"""Execution option of an engine: the statement that sets what no session is set to."""

READ_ONLY: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

DROPPED: Final = "TURNFOLD_DATABASE_URL leads to a pooler, such as PgBouncer, that drops what a session is set to"
NEEDS_POOLER: Final = "set TURNFOLD_DATABASE_POOLER=on, or name PostgreSQL itself"


DROPS_OPTIONS: Final = "unsupported startup parameter"
"""What PgBouncer says to one who sets something in a session, unless it is told to ignore that."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Longest wait for a statement and for a lock, in milliseconds; times are in UTC."""

    milliseconds: int

    def _values(self) -> dict[str, str]:
        # In UTC, the earliest times of a caller stay within what Python can hold.
        waits = str(self.milliseconds)
        return {"statement_timeout": waits, "lock_timeout": waits, "timezone": "UTC"}

    @property
    def startup_options(self) -> str:
        """For the session, as libpq's `options`."""
        return " ".join(f"-c {name}={setting}" for name, setting in self._values().items())

    @property
    def in_transaction(self) -> str:
        """One statement that sets them until the transaction ends, for pipelines, which take no two at once."""
        return "SELECT " + ", ".join(
            f"set_config('{name}', '{setting}', true)" for name, setting in self._values().items()
        )

    def set_in_transactions(self, engine: Engine, *, write: bool) -> Engine:
        """Begin each transaction with them, in one round trip. The engine's driver must begin none by itself."""
        begin = f"{'BEGIN' if write else READ_ONLY}; {self.in_transaction}"

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine.execution_options(**{_SET_IN_TRANSACTIONS: self.in_transaction})

    def check_sessions(self, engine: Engine) -> None:
        """Have the engine refuse sessions that dropped what they were told when they began.

        A pooler that does so also gives a session's prepared statements to other clients, which execute them.
        The engine raises `InvalidSettings` when it connects.
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
    """The statement with which a transaction of an engine begins behind a pooler; None without a pooler."""
    statement: str | None = engine.get_execution_options().get(_SET_IN_TRANSACTIONS)
    return statement
