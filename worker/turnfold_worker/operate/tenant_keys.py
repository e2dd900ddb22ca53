"""Copy a tenant's gateway keys from one cell to another, so that callers can keep using theirs."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, select, update

from turnfold.contract.tables import ApiKeyRow, table
from turnfold.database.failures import translated

_keys: Final = table(ApiKeyRow)


def copy_keys(source: Engine, target: Engine, tenant: str) -> int:
    """Copy the keys that the target lacks, and return their number; revoke there those that the source has revoked.

    Raises `Unavailable`.
    """
    with translated(), source.begin() as connection:
        rows = connection.execute(select(_keys).where(_keys.c.tenant == tenant)).mappings().all()
    with translated(), target.begin() as connection:
        held = {*connection.scalars(select(_keys.c.id).where(_keys.c.tenant == tenant))}
        missing = [dict(row) for row in rows if row["id"] not in held]
        if missing:
            connection.execute(_keys.insert(), missing)
        for row in rows:
            if row["id"] in held and row["revoked_at"] is not None:
                opens = (_keys.c.id == row["id"], _keys.c.revoked_at.is_(None))
                connection.execute(update(_keys).where(*opens).values(revoked_at=row["revoked_at"]))
    return len(missing)


def drop_keys(source: Engine, tenant: str) -> int:
    """Delete a tenant's keys from the cell that it left, and return their number. Raises `Unavailable`."""
    with translated(), source.begin() as connection:
        return int(connection.execute(_keys.delete().where(_keys.c.tenant == tenant)).rowcount)
