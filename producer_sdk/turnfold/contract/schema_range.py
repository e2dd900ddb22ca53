"""Compatibility of schema versions between a database and a process. Pure.

A database is first expanded: additions for a new version are made and nothing is removed, so that it serves both
versions. When no older process is left, it is contracted: it serves the new version alone. A process works with a
database if their ranges overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

SCHEMA_VERSION: Final = 2
"""The newest schema version that this code knows."""

READS_FROM: Final = 1
"""The oldest schema version with every column that reads use."""

WRITES_FROM: Final = 2
"""The oldest schema version with every column that workers write."""

CONTRACTED: Final = "schema_version"
"""Key in `meta` of the oldest version that the database serves; named as in version 1, which knew no ranges."""

EXPANDED: Final = "schema_expanded"
"""Key in `meta` of the newest version that the database serves; defaults to the oldest one."""


class SchemaRange(NamedTuple):
    """Schema versions from `oldest` to `newest`, inclusive."""

    oldest: int
    newest: int

    def overlaps(self, other: SchemaRange) -> bool:
        """Whether two ranges have a version in common.

        >>> SchemaRange(1, 2).overlaps(SchemaRange(2, 2)), SchemaRange(1, 1).overlaps(SchemaRange(2, 3))
        (True, False)
        """
        return self.oldest <= other.newest and other.oldest <= self.newest

    def __str__(self) -> str:
        """Format the range for people."""
        return str(self.newest) if self.oldest == self.newest else f"{self.oldest} to {self.newest}"


def readable() -> SchemaRange:
    """Return the versions that readers of this release work with."""
    return SchemaRange(READS_FROM, SCHEMA_VERSION)


def writable() -> SchemaRange:
    """Return the versions that workers of this release work with."""
    return SchemaRange(WRITES_FROM, SCHEMA_VERSION)


def served(meta: Mapping[str, str]) -> SchemaRange | None:
    """Return the versions that a database serves, from the rows of its table `meta`; None if it has none.

    >>> served({"schema_version": "1", "schema_expanded": "2"})
    SchemaRange(oldest=1, newest=2)
    """
    try:
        oldest = int(meta[CONTRACTED])
        return SchemaRange(oldest, max(oldest, int(meta.get(EXPANDED, oldest))))
    except (KeyError, ValueError):
        return None


def remedy_of(database: SchemaRange | None, process: SchemaRange) -> str:
    """Return the remedy if a database and a process have no version in common."""
    if database is not None and database.oldest > process.newest:
        return "upgrade Turnfold here: the database was contracted to a newer version's schema"
    return "run `turnfold migrate`"
