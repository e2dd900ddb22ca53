"""Erase an end user (a subject) from every conversation of a tenant in which they have turns.

The inboxes are read before SQL, so that a turn that moves from one to the other meanwhile is seen at least once. Each
conversation is then forgotten or gets its deletions on its own: after a crash midway, the next call finds the rest. A
conversation is forgotten only if it has not changed since no other subject had a turn in it, so what another subject
appends meanwhile stays.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnfold import writes
from turnfold.contract.keys import Address
from turnfold.contract.results import ErasureReceipt, SubjectReceipt
from turnfold.contract.tasks import Operation
from turnfold.database.remnants import remaining
from turnfold.errors import Unavailable
from turnfold.read.polling import StoreWait, Wait
from turnfold.redis.inbox import Changed, Seen
from turnfold.wire.decode import subject_of
from turnfold.wire.encode import Entry
from turnfold.wire.turn_edits import delete

if TYPE_CHECKING:
    from turnfold.database.subject_read import SubjectTurn
    from turnfold.redis.inbox import ProducerInbox
    from turnfold.resources import Resources
    from turnfold.settings import Settings

DELETIONS_AT_ONCE: Final = 500
"""Deletions that one call to Redis appends."""
_LOOKS: Final = 20
"""Attempts to forget a conversation that is being written to, before a call gives up."""


Forget = Callable[[str, Seen], Wait[ErasureReceipt]]
"""Begins to erase a conversation; raises `Changed` if it is no longer as it was seen."""


@dataclass(slots=True)
class _Turns:
    """A subject's turns in one conversation, and whether other subjects have turns there."""

    turn_ids: dict[str, None] = field(default_factory=dict)
    shared: bool = False


def begin_erasure(
    resources: Resources, settings: Settings, tenant: str, subject: str, forget: Forget
) -> Wait[SubjectReceipt]:
    """Forget conversations that are the subject's alone, and delete its turns in others. Raises as `writes.put`."""
    inbox = resources.inbox()
    begun = _SubjectWait(inbox, resources, tenant, subject, sqlite=settings.uses_sqlite)
    for name, turns in _conversations(inbox, resources, tenant, subject).items():
        address = Address(tenant, name)
        if not turns.shared and (whole := _forgotten(inbox, resources, address, subject, forget)):
            begun.whole.append(whole)
            continue
        _delete(resources, settings, address, [*turns.turn_ids])
        begun.shared[name] = len(turns.turn_ids)
        begun.stores.append(StoreWait(inbox, address))
    return begun


def _conversations(inbox: ProducerInbox, resources: Resources, tenant: str, subject: str) -> Mapping[str, _Turns]:
    by_name: dict[str, _Turns] = {}
    for address in inbox.waiting(tenant):
        turns = _waiting(inbox, address, subject)
        if turns.turn_ids:
            by_name[address.conversation] = turns
    for turn in _stored(resources, tenant, subject):
        turns = by_name.setdefault(turn.conversation_id, _Turns())
        turns.shared = turns.shared or turn.shared
        if not turn.expired:
            turns.turn_ids[turn.turn_id] = None
    return by_name


def _stored(resources: Resources, tenant: str, subject: str) -> list[SubjectTurn]:
    # Imported here: only the erasure of an end user needs it.
    from turnfold.database.subject_read import turns_of_subject

    return resources.reader().read(lambda transaction: turns_of_subject(transaction.connection, tenant, subject))


def _forgotten(
    inbox: ProducerInbox, resources: Resources, address: Address, subject: str, forget: Forget
) -> Wait[ErasureReceipt] | None:
    """Forget a whole conversation; None if another subject has a turn in it, perhaps one that just arrived."""
    from turnfold.database.subject_read import has_another_subject

    for _ in range(_LOOKS):
        seen = inbox.seen(address)
        if _waiting(inbox, address, subject).shared or resources.reader().read(
            lambda transaction: has_another_subject(transaction.connection, address, subject)
        ):
            return None
        with suppress(Changed):
            return forget(address.conversation, seen)
    msg = f"conversation {address.conversation!r} was not forgotten: turns kept arriving"
    raise Unavailable(msg, remedy="stop the producers of this subject, then forget it again")


def _waiting(inbox: ProducerInbox, address: Address, subject: str) -> _Turns:
    """Return a subject's turns in an inbox, and whether the inbox has turns of other subjects."""
    turns = _Turns()
    for entry in inbox.entries(address):
        whose = subject_of(entry.body) if entry.operation == Operation.APPEND else None
        if whose == subject:
            turns.turn_ids[entry.entry_id] = None
        elif whose is not None:
            turns.shared = True
    return turns


def _delete(resources: Resources, settings: Settings, address: Address, turn_ids: Sequence[str]) -> None:
    at_once = min(DELETIONS_AT_ONCE, settings.max_inbox_turns)
    for start in range(0, len(turn_ids), at_once):
        block = turn_ids[start : start + at_once]
        entries = [Entry(f"{Operation.DELETE}-{secrets.token_hex(12)}", delete(turn_id).body) for turn_id in block]
        writes.put(resources, settings, address, Operation.DELETE, entries)


class _SubjectWait:
    """Waits until workers have deleted all rows of forgotten conversations and carried out all deletions."""

    def __init__(self, inbox: ProducerInbox, resources: Resources, tenant: str, subject: str, *, sqlite: bool) -> None:
        self._inbox = inbox
        self._resources = resources
        self._tenant = tenant
        self._subject = subject
        self._sqlite = sqlite
        self.whole: list[Wait[ErasureReceipt]] = []
        """Waits for the conversations that were forgotten."""
        self.shared: dict[str, int] = {}
        """Number of deletions in each conversation that other subjects share."""
        self.stores: list[Wait[bool]] = []
        self._receipts: dict[int, ErasureReceipt] = {}

    def look(self) -> SubjectReceipt | None:
        self.stores = [wait for wait in self.stores if wait.look() is None]
        for number, wait in enumerate(self.whole):
            if number not in self._receipts and (receipt := wait.look()) is not None:
                self._receipts[number] = receipt
        done = not self.stores and len(self._receipts) == len(self.whole)
        return self._receipt([*self._receipts.values()], completed=True) if done else None

    def give_up(self, timeout_seconds: float) -> SubjectReceipt:
        receipts = [
            self._receipts.get(number) or wait.give_up(timeout_seconds) for number, wait in enumerate(self.whole)
        ]
        return self._receipt(receipts, completed=False)

    def _receipt(self, receipts: Sequence[ErasureReceipt], *, completed: bool) -> SubjectReceipt:
        # Read last: where retention removes a turn before its deletion is carried out, its notes remain as quotes.
        stored = _stored(self._resources, self._tenant, self._subject)
        expired = {turn.conversation_id for turn in stored if turn.expired}
        return SubjectReceipt(
            subject=self._subject, completed=completed, shared=dict(self.shared),
            conversations=tuple(sorted(receipts, key=lambda receipt: receipt.conversation_id)),
            still_quoted=tuple(sorted(expired & self.shared.keys())),
            remains=remaining(self._inbox.remnants(), sqlite=self._sqlite, completed=completed),
        )  # fmt: skip
