"""Which versions of the schema a database serves, and which ones a process works with. Pure.

A database is expanded first: what a new version needs is added, and nothing goes, so that it serves both versions.
When no older process is left it is contracted: it serves the new version alone. A process works with a database when
their two ranges have a version in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

SCHEMA_VERSION: Final = 2
"""The newest schema that this code knows."""

READS_FROM: Final = 1
"""The oldest schema that holds every column which reads look at."""

WRITES_FROM: Final = 2
"""The oldest schema that holds every column which workers write."""

CONTRACTED: Final = "schema_version"
"""Key of `meta`: the oldest version that the database serves. Version 1 took no other for its own, hence the name."""

EXPANDED: Final = "schema_expanded"
"""Key of `meta`: the newest version that the database serves; the oldest one's where it is missing."""


class SchemaRange(NamedTuple):
    """Versions of the schema from `oldest` to `newest`, both included."""

    oldest: int
    newest: int

    def overlaps(self, other: SchemaRange) -> bool:
        """Whether a version is in both.

        >>> SchemaRange(1, 2).overlaps(SchemaRange(2, 2)), SchemaRange(1, 1).overlaps(SchemaRange(2, 3))
        (True, False)
        """
        return self.oldest <= other.newest and other.oldest <= self.newest

    def __str__(self) -> str:
        """As a person reads it."""
        return str(self.newest) if self.oldest == self.newest else f"{self.oldest} to {self.newest}"


def readable() -> SchemaRange:
    """What readers of this version work with."""
    return SchemaRange(READS_FROM, SCHEMA_VERSION)


def writable() -> SchemaRange:
    """What workers of this version work with."""
    return SchemaRange(WRITES_FROM, SCHEMA_VERSION)


def served(meta: Mapping[str, str]) -> SchemaRange | None:
    """What a database serves, by the rows of its table `meta`; None where they do not say.

    >>> served({"schema_version": "1", "schema_expanded": "2"})
    SchemaRange(oldest=1, newest=2)
    """
    try:
        oldest = int(meta[CONTRACTED])
        return SchemaRange(oldest, max(oldest, int(meta.get(EXPANDED, oldest))))
    except (KeyError, ValueError):
        return None


def remedy_of(database: SchemaRange | None, process: SchemaRange) -> str:
    """What to do where a database and a process have no version in common."""
    if database is not None and database.oldest > process.newest:
        return "upgrade Turnfold here: the database was contracted to a newer version's schema"
    return "run `turnfold migrate`"
