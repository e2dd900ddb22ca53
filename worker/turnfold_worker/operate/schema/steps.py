"""The migrations, in order. Each either expands or contracts the schema.

A migration that expands only adds, so the previous version can still read and write. One that contracts removes what
only older versions need, or shuts them out; it is run explicitly, when no older process is left.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from alembic.script import ScriptDirectory

MIGRATIONS: Final = Path(__file__).parents[2] / "migrations"


class Phase(StrEnum):
    """Kind of a migration: the `phase` of its module."""

    EXPAND = "expand"
    CONTRACT = "contract"


class Step(NamedTuple):
    """A migration."""

    revision: str
    phase: Phase


@cache
def steps() -> tuple[Step, ...]:
    """Return all migrations of this version, oldest first. Raises `RuntimeError` when there are none."""
    scripts = list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())
    if not scripts:
        raise RuntimeError(f"no migrations found in {MIGRATIONS}: the installation is incomplete")
    return tuple(Step(script.revision, Phase(script.module.phase)) for script in reversed(scripts))


def place_of(revision: str | None, among: tuple[Step, ...]) -> int:
    """Return the one-based position of a revision; 0 for None. Raises `LookupError` for an unknown revision."""
    if revision is None:
        return 0
    for place, step in enumerate(among, start=1):
        if step.revision == revision:
            return place
    raise LookupError(revision)


def needed(among: tuple[Step, ...]) -> Step:
    """Return the last migration that expands: the least revision of a database that this version works with."""
    return next(step for step in reversed(among) if step.phase is Phase.EXPAND)


def target(revision: str | None, among: tuple[Step, ...], *, contract: bool) -> str | None:
    """Return the revision to migrate a database to.

    A new database gets all migrations, since no older process has ever used it. Any other stops before the first
    migration that contracts, unless `contract`.

    >>> chain = (Step("1", Phase.EXPAND), Step("2", Phase.EXPAND), Step("3", Phase.CONTRACT))
    >>> target(None, chain, contract=False), target("1", chain, contract=False), target("2", chain, contract=True)
    ('3', '2', '3')
    """
    if revision is None or contract:
        return among[-1].revision
    place = place_of(revision, among)
    while place < len(among) and among[place].phase is Phase.EXPAND:
        place += 1
    return among[place - 1].revision


def waits_to_contract(revision: str | None, among: tuple[Step, ...]) -> bool:
    """Tell whether the next migration of a database is one that contracts."""
    place = place_of(revision, among)
    return revision is not None and place < len(among) and among[place].phase is Phase.CONTRACT
