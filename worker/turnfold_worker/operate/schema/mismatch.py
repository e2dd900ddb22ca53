"""Why this version cannot work with a database, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from alembic.migration import MigrationContext
from sqlalchemy import inspect, select

from turnfold.contract.schema_range import SchemaRange, remedy_of, served, writable
from turnfold.contract.tables import Base, MetaRow, table
from turnfold_worker.operate.schema.steps import needed, place_of, steps, waits_to_contract

if TYPE_CHECKING:
    from sqlalchemy import Connection

NEWER_REMEDY: Final = "upgrade Turnfold here, or use another database"
"""Remedy for a database at a revision that this version does not know."""

BROKEN_REMEDY: Final = "restore it completely, or start with an empty database"
"""Remedy for a database with our tables but no revision."""

FOREIGN_REMEDY: Final = "create a separate database for Turnfold, and set TURNFOLD_DATABASE_URL to it"
"""Remedy for a database that another application made."""

_MIGRATE: Final = "run `turnfold migrate`"
CONTRACT_REMEDY: Final = "run `turnfold migrate --contract` once no process of an older version is running"
"""Remedy for a database whose next migration contracts."""

_SIGNS: Final = {"conversation": {"tenant", "external_id"}, "meta": {"key", "value"}}
"""Tables and columns that tell our tables from another application's tables of the same names."""


class Mismatch(NamedTuple):
    """Why this version does not work with a database, and the remedy."""

    reason: str
    remedy: str
    migrates: bool = False
    """Whether a migration fixes it."""

    def __str__(self) -> str:
        return self.reason if self.migrates else f"{self.reason}: {self.remedy}"


def revision_of(connection: Connection) -> str | None:
    """Return the revision recorded in a database; another application's database may have several."""
    return ", ".join(sorted(MigrationContext.configure(connection).get_current_heads())) or None


def serves(connection: Connection) -> SchemaRange | None:
    """Return the schema versions that a database of ours declares to serve."""
    meta = table(MetaRow)
    return served({row.key: row.value for row in connection.execute(select(meta.c.key, meta.c.value))})


def is_newer(connection: Connection, revision: str | None) -> bool:
    """Tell whether a newer version migrated a database of ours."""
    return revision is not None and not _is_known(revision) and _is_ours(connection)


def not_migrated(revision: str | None) -> Mismatch:
    """Return the mismatch of a database that a migration would fix."""
    if revision is None:
        return Mismatch("the database is at revision none: it was never migrated", _MIGRATE, migrates=True)
    reason = f"the database is at revision {revision}, this version needs {needed(steps()).revision}"
    if waits_to_contract(revision, steps()):
        return Mismatch(reason, CONTRACT_REMEDY, migrates=True)
    return Mismatch(reason, _MIGRATE, migrates=True)


def mismatch_of(connection: Connection) -> Mismatch | None:
    """Return why this version does not work with the database; None when it does."""
    revision = revision_of(connection)
    if revision is not None and _is_known(revision):
        if place_of(revision, steps()) >= place_of(needed(steps()).revision, steps()):
            return _of_versions(connection)
        return not_migrated(revision)
    return _of_other_tables(connection, revision)


def _is_known(revision: str) -> bool:
    return any(step.revision == revision for step in steps())


def _of_versions(connection: Connection) -> Mismatch | None:
    """Return why a database at a suitable revision does not serve this version, such as after a manual change."""
    database = serves(connection)
    if database is not None and database.overlaps(writable()):
        return None
    reason = f"the database serves schema version {database}, this version works with {writable()}"
    return Mismatch(reason, remedy_of(database, writable()))


def _is_ours(connection: Connection) -> bool:
    tables = inspect(connection)
    names = set(tables.get_table_names())
    return _SIGNS.keys() <= names and all(
        columns <= {column["name"] for column in tables.get_columns(name)} for name, columns in _SIGNS.items()
    )


def _of_other_tables(connection: Connection, revision: str | None) -> Mismatch | None:
    """Return why this version's migrations did not make the tables; None for a newer version's that serve this one."""
    is_ours = _is_ours(connection)
    if revision is not None:
        if is_ours:
            return _of_newer(connection, revision)
        reason = f"another application keeps its revision ({revision}) in the database's alembic_version"
        return Mismatch(reason, FOREIGN_REMEDY)
    named_alike = sorted(set(inspect(connection).get_table_names()) & Base.metadata.tables.keys())
    if is_ours:
        reason = (
            f"the database holds {len(named_alike)} of {len(Base.metadata.tables)} tables but no revision: a "
            "copy or restore was interrupted"
        )
        return Mismatch(reason, BROKEN_REMEDY)
    if named_alike:
        return Mismatch(f"another application has tables with these names: {', '.join(named_alike)}", FOREIGN_REMEDY)
    return not_migrated(revision)


def _of_newer(connection: Connection, revision: str) -> Mismatch | None:
    database = serves(connection)
    if database is not None and database.overlaps(writable()):
        return None
    reason = (
        f"the database is at revision {revision}, this version needs {needed(steps()).revision}: a newer version made "
        f"it, and it serves schema version {database}"
    )
    return Mismatch(reason, NEWER_REMEDY)
