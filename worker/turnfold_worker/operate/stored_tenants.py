"""Which tenants a database holds: one step of an index a tenant, however many conversations they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Engine, text

from turnfold.database.failures import translated

NEXT_TENANT: Final = text("SELECT min(tenant) FROM conversation WHERE tenant > :after")


def stored_tenants(engine: Engine) -> Iterator[str]:
    """The tenants that have conversations, in the database's order of names. Raises `Unavailable`, `SchemaMismatch`."""
    with translated(), engine.connect() as connection:
        tenant = connection.scalar(NEXT_TENANT, {"after": ""})
        while tenant is not None:
            yield tenant
            tenant = connection.scalar(NEXT_TENANT, {"after": tenant})
