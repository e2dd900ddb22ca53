"""The migrations, in order. Each expands the schema or contracts it.

What expands only adds: the version before goes on reading and writing beside this one. What contracts takes away what
only older versions need, or shuts them out; it runs by a command of its own, when no older process is left.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from alembic.script import ScriptDirectory

MIGRATIONS: Final = Path(__file__).parents[2] / "migrations"


class Phase(StrEnum):
    """What a migration does: its module's `phase`."""

    EXPAND = "expand"
    CONTRACT = "contract"


class Step(NamedTuple):
    """A migration."""

    revision: str
    phase: Phase


@cache
def steps() -> tuple[Step, ...]:
    """All migrations of this version, the first one first. Raises `RuntimeError` where there are none."""
    scripts = list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())
    if not scripts:
        raise RuntimeError(f"no migration was found in {MIGRATIONS}: the installation is incomplete")
    return tuple(Step(script.revision, Phase(script.module.phase)) for script in reversed(scripts))


def place_of(revision: str | None, among: tuple[Step, ...]) -> int:
    """How many migrations lead to a revision; 0 for none. Raises `LookupError` for one that is not among them."""
    if revision is None:
        return 0
    for place, step in enumerate(among, start=1):
        if step.revision == revision:
            return place
    raise LookupError(revision)


def needed(among: tuple[Step, ...]) -> Step:
    """The last migration that expands: every database of this version is there, or further."""
    return next(step for step in reversed(among) if step.phase is Phase.EXPAND)


def target(revision: str | None, among: tuple[Step, ...], *, contract: bool) -> str | None:
    """The revision to which a database is to be brought.

    A new one goes through all of them: no older process has ever used it. Any other stops before what contracts,
    unless `contract`.

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
    """Whether the next migration of a database is one that contracts."""
    place = place_of(revision, among)
    return revision is not None and place < len(among) and among[place].phase is Phase.CONTRACT
