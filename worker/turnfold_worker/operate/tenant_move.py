"""Move a tenant to another cell: copy its conversations, compare them, and erase them from the old cell.

A move has two halves, between which the file of cells is changed; either half can be run again after an interruption.
The only state of a move is a seal in the target's `meta`, which records what the source contained when both were equal:

1. `copy`: conversations that the target lacks, or that differ there, are exported from the source and restored in the
   target, each in one transaction. Then all are compared, and the seal is written.
2. `check_source`, when clients use the target: only what was compared may be erased. If the source no longer matches
   the seal, each of its conversations has to be in the target, which may have more turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b, sha256
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Engine, select

from turnfold.contract.keys import Address
from turnfold.contract.tables import MetaRow, table
from turnfold.database.exports import footer, header, lines_of
from turnfold.database.failures import translated
from turnfold.errors import Unavailable, UnknownConversation
from turnfold_worker.operate.copied_rows import is_folded_again, operation_count, stored_turns, turns_of_tenant
from turnfold_worker.operate.digest import digest
from turnfold_worker.operate.list_conversations import stored_names

if TYPE_CHECKING:
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.adapters.sql.store import SqlStore

POLL_SECONDS: Final = 0.2
_NAMED: Final = 5
"""Conversations that an error message names, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveSide:
    """One of the two cells of a move."""

    cell: str
    engine: Engine
    """Engine for reading."""
    write_engine: Engine
    inbox: ProducerInbox
    store: SqlStore
    fold: Callable[[Address], object]
    """Fold a conversation's stored turns that wait for more, and rebuild search rows that were dropped."""
    restore: Callable[[Address, Iterable[bytes]], object]
    """Write the lines of an archive that contains one conversation."""

    def names(self, tenant: str) -> list[str]:
        """Return the names of the tenant's stored conversations that are not forgotten, in order."""
        names = [*chain.from_iterable(stored_names(self.engine, tenant))]
        gone = self.inbox.forgotten([Address(tenant, name) for name in names])
        return sorted(name for name in names if name not in gone)

    def digest(self, address: Address) -> str | None:
        """Return the digest of a stored conversation; None when it is not stored."""
        with translated():
            try:
                return digest(self.engine, address.tenant, address.conversation)
            except UnknownConversation:
                return None


class MoveStep(NamedTuple):
    """Progress of one half of a move."""

    doing: str
    done: int
    conversations: int


class TenantMove:
    """Moves one tenant from one cell to another."""

    def __init__(self, tenant: str, source: MoveSide, target: MoveSide, *, wait_seconds: float) -> None:
        """Set up a move; workers get `wait_seconds` to store or refold what they are working on."""
        self._tenant = tenant
        self._source = source
        self._target = target
        self._wait_seconds = wait_seconds
        self.copied = 0
        """Conversations copied by this run."""
        self.conversations = 0
        self.turns = 0
        """Turns of all conversations."""
        self.only_in_target: list[str] = []
        """Conversations that only the target has, when some left the source after the comparison."""

    def copy(self) -> Iterator[MoveStep]:
        """Copy and compare, then write the seal. Raises `Unavailable` when either cell is being written to."""
        for side in (self._source, self._target):
            self._wait_until_quiet(side)
        names = self._source.names(self._tenant)
        self._refuse_forgotten(names)
        self._refuse_strangers({*self._target.names(self._tenant)} - {*names})
        yield from self._each("copying", names, self._copy)
        digests: dict[str, str] = {}
        yield from self._each("comparing", names, lambda address: digests.update(self._compared(address)))
        self._wait_until_quiet(self._source)
        if self._source.names(self._tenant) != names:
            raise self._written_to(self._source, "conversations were added or removed")
        self.conversations = len(names)
        self.turns = turns_of_tenant(self._source.engine, self._tenant)
        self._write_seal(" ".join(_seal(self._source.cell, digests)))

    def check_source(self) -> Iterator[MoveStep]:
        """Raise `Unavailable` when the source has something that the target lacks."""
        self._wait_until_quiet(self._source)
        names = self._source.names(self._tenant)
        digests: dict[str, str] = {}
        yield from self._each("checking", names, lambda address: digests.update(self._source_digest(address)))
        self.conversations = len(names)
        seal = self._read_seal()
        if seal == _seal(self._source.cell, digests):
            return
        behind = [name for name in names if not self._stands(Address(self._tenant, name), digests.get(name))]
        if behind:
            raise self._left_behind(behind, copied=seal is not None)
        if seal is not None and seal.names and seal.names != _seal(self._source.cell, digests).names:
            self.only_in_target = sorted({*self._target.names(self._tenant)} - {*names})

    def begin_erasure(self) -> None:
        """Empty the seal: from now on, conversations missing from the source were erased by this command."""
        self._write_seal("")

    def finish(self) -> None:
        """Remove the seal, once nothing is left in the source."""
        self._write_seal(None)

    def _each(self, doing: str, names: list[str], act: Callable[[Address], object]) -> Iterator[MoveStep]:
        yield MoveStep(doing, 0, len(names))
        for done, name in enumerate(names, start=1):
            act(Address(self._tenant, name))
            yield MoveStep(doing, done, len(names))

    def _copy(self, address: Address) -> None:
        wanted, stored = self._digests(address)
        if wanted is None or wanted == stored:
            # A conversation that was just forgotten is noticed by the comparison at the end.
            return
        if stored is not None:
            self._refuse_turns_of_its_own(address)
        self._clear(address)
        with translated():
            self._target.restore(address, chain([header()], lines_of(self._source.engine, address), [footer(1)]))
        self.copied += 1

    def _clear(self, address: Address) -> None:
        """Delete the target's older copy, and any copy that an interrupted run had hidden."""
        store = self._target.store
        while (hidden := store.hide(address, lambda: True)) is not None:
            while store.delete_some(hidden.conversation):
                pass

    def _compared(self, address: Address) -> dict[str, str]:
        end = time.monotonic() + self._wait_seconds
        while True:
            ours, theirs = self._digests(address)
            if ours is not None and ours == theirs:
                return {address.conversation: ours}
            folded_again = any(is_folded_again(side.engine, address) for side in (self._source, self._target))
            if not folded_again or time.monotonic() > end:
                what = f"conversation {address.conversation!r} differs between the cells"
                raise self._written_to(self._source, what)
            time.sleep(POLL_SECONDS)

    def _digests(self, address: Address) -> tuple[str | None, str | None]:
        """Fold, then return the digests of both cells: either may have dropped an idle conversation's search rows."""
        for side in (self._source, self._target):
            side.fold(address)
        return self._source.digest(address), self._target.digest(address)

    def _source_digest(self, address: Address) -> dict[str, str]:
        self._source.fold(address)
        hashed = self._source.digest(address)
        return {} if hashed is None else {address.conversation: hashed}

    def _wait_until_quiet(self, side: MoveSide) -> None:
        end = time.monotonic() + self._wait_seconds
        while waiting := side.inbox.waiting(self._tenant):
            if time.monotonic() > end:
                name = waiting[0].conversation
                raise self._written_to(side, f"{len(waiting)} conversations, such as {name!r}, are not stored yet")
            time.sleep(POLL_SECONDS)

    def _written_to(self, side: MoveSide, what: str) -> Unavailable:
        msg = f"tenant {self._tenant!r} is being written to in cell {side.cell!r}: {what}"
        return Unavailable(
            msg,
            remedy=(
                "stop everything that appends, edits or forgets for it, keep workers of the cell running, and run "
                "this again to continue; nothing was erased"
            ),
        )

    def _refuse_forgotten(self, names: Iterable[str]) -> None:
        """Refuse names that were just forgotten in the target, whose workers would erase what is written under them."""
        gone = self._target.inbox.forgotten([Address(self._tenant, name) for name in names])
        if gone:
            msg = f"cell {self._target.cell!r} has not yet erased conversations forgotten there: {_listed(gone)}"
            raise Unavailable(msg, remedy="run this again once workers of that cell have erased them")

    def _refuse_strangers(self, strangers: set[str]) -> None:
        if not strangers:
            return
        source, target, tenant = self._source.cell, self._target.cell, self._tenant
        msg = f"cell {target!r} has conversations of tenant {tenant!r} that are not in {source!r}: {_listed(strangers)}"
        remedy = (
            f"were they forgotten in {source!r} after they were copied, or are they left over from earlier? Erase "
            "them with "
            f"`turnfold --cell {target} --tenant {tenant} forget NAME`, and run this again"
        )
        raise Unavailable(msg, remedy=remedy)

    def _refuse_turns_of_its_own(self, address: Address) -> None:
        source = {turn_id for _, turn_id, *_ in stored_turns(self._source.engine, address)}
        with closing(stored_turns(self._target.engine, address)) as turns:
            own = next((turn_id for _, turn_id, *_ in turns if turn_id not in source), None)
        if own is None:
            return
        cell, name = self._target.cell, address.conversation
        msg = f"conversation {name!r} has turns in cell {cell!r} that are not in {self._source.cell!r}, such as {own!r}"
        remedy = (
            f"if they matter, save them with `turnfold --cell {cell} --tenant {self._tenant} export {name}`, "
            f"then erase them with `forget {name}` there, and run this again"
        )
        raise Unavailable(msg, remedy=remedy)

    def _stands(self, address: Address, hashed: str | None) -> bool:
        """Tell whether the target has all turns and operations that the source has of a conversation, or more."""
        if self._target.digest(address) == hashed:
            return True
        with (
            closing(stored_turns(self._source.engine, address)) as ours,
            closing(stored_turns(self._target.engine, address)) as theirs,
        ):
            if any(turn != next(theirs, None) for turn in ours):
                return False
        own, other = (operation_count(side.engine, address) for side in (self._source, self._target))
        return other is not None and (own or 0) <= other

    def _left_behind(self, names: list[str], *, copied: bool) -> Unavailable:
        source, target, tenant = self._source.cell, self._target.cell, self._tenant
        msg = f"cell {source!r} holds what {target!r} does not, of conversations {_listed(names)}; nothing was erased"
        if not copied:
            return Unavailable(
                msg, remedy=f'pin it to its current cell, "{tenant}" = "{source}", and run this again to copy the rest'
            )
        remedy = (
            f"stop every process that still uses the older file. For each, `turnfold --cell {source} --tenant {tenant} "
            f"export NAME` what matters, and `import` it in {target!r} (under another id if that has it); erase in "
            f"{source!r} what {target!r} has otherwise or has forgotten (`forget NAME`); then run this again"
        )
        return Unavailable(msg, remedy=remedy)

    def _read_seal(self) -> Seal | None:
        """Return the seal: None when nothing was copied, an empty one after `begin_erasure`."""
        meta = table(MetaRow)
        with translated(), self._target.engine.begin() as connection:
            text = connection.scalar(select(meta.c.value).where(meta.c.key == _seal_key(self._tenant)))
        return None if text is None else Seal(*text.split()) if text else Seal()

    def _write_seal(self, text: str | None) -> None:
        meta, key = table(MetaRow), _seal_key(self._tenant)
        with translated(), self._target.write_engine.begin() as connection:
            connection.execute(meta.delete().where(meta.c.key == key))
            if text is not None:
                connection.execute(meta.insert().values(key=key, value=text))


class Seal(NamedTuple):
    """Hashes of what a cell contained of a tenant."""

    digests: str = ""
    """Hash over its conversations' names and digests."""
    names: str = ""
    """Hash over the names alone."""


def _seal_key(tenant: str) -> str:
    return f"moved:{blake2b(tenant.encode(), digest_size=16).hexdigest()}"


def _seal(cell: str, digests: dict[str, str]) -> Seal:
    def hashed(lines: Iterable[str]) -> str:
        return sha256("\n".join([cell, *lines]).encode()).hexdigest()

    return Seal(hashed(f"{digests[name]} {name}" for name in sorted(digests)), hashed(sorted(digests)))


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    return ", ".join(map(repr, ordered[:_NAMED])) + more
