"""The database's clock in SQL, in milliseconds: leases and delays must not depend on a worker's clock."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class now_milliseconds(FunctionElement[int]):  # noqa: N801 - reads as the SQL function that it is
    """Milliseconds since 1970 by the database's clock."""

    type = BigInteger()
    inherit_cache = True


@compiles(now_milliseconds, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:  # noqa: ARG001
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"


@compiles(now_milliseconds, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:  # noqa: ARG001
    # clock_timestamp, not now(): a transaction may have waited long for its locks.
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
