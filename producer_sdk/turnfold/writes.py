"""Append entries that are already validated to an inbox, and wake a worker."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation, Task
from turnfold.errors import InboxFull, InvalidInput, Unavailable
from turnfold.read import pending_edits
from turnfold.redis.inbox import NotCounted, is_one_block
from turnfold.redis.quotas import COUNTED
from turnfold.resources import Resources
from turnfold.settings import Settings
from turnfold.wire.encode import Entry
from turnfold.wire.turn_edits import TurnChange

CONFIRMING: Final = 0.4
"""Share of a call's timeout for a replica's confirmation: less than a client waits for one answer of Redis."""


def put(
    resources: Resources,
    settings: Settings,
    address: Address,
    operation: Operation,
    entries: Sequence[Entry],
    *,
    durable: bool = False,
) -> None:
    """Append entries in order; `durable` waits until a replica of Redis has them too.

    Raises `InvalidInput` for more than an inbox can hold, `InboxFull`, `QuotaExceeded`, `Unavailable`.
    """
    if not entries:
        return
    _check_size(settings, entries)
    inbox, quotas = resources.inbox(), resources.quotas()
    if durable:
        inbox = inbox.confirmed(max(1, int(settings.timeout_seconds * CONFIRMING * 1_000)))
    counted = quotas.take(address.tenant, operation, entries)

    def append(*, unasked: bool) -> bool:
        return inbox.append(
            address, operation, entries, most_entries=settings.max_inbox_turns, most_bytes=settings.max_inbox_bytes,
            bell=settings.doorbell, counted=not unasked,
        )  # fmt: skip

    try:
        try:
            ring = append(unasked=operation in COUNTED and not counted)
        except NotCounted:
            counted = quotas.take(address.tenant, operation, entries, own=True)
            ring = append(unasked=False)
    except (InboxFull, Unavailable) as error:
        if counted and is_one_block(entries) and _was_refused(error):
            # Nothing was added. Part of a longer list may have been, so all of that stays counted.
            with suppress(Unavailable):
                quotas.give_back(address.tenant, operation, entries)
        if error.rings and resources.rings_elsewhere:
            resources.ring(Task.DRAIN, inbox.shard_of(address))
        raise
    if ring and resources.rings_elsewhere:
        resources.ring(Task.DRAIN, inbox.shard_of(address))


def _check_size(settings: Settings, entries: Sequence[Entry]) -> None:
    """Raise `InvalidInput` for more entries or bytes than an empty inbox can hold."""
    greatest = settings.max_inbox_turns
    if len(entries) > greatest:
        msg = f"{len(entries)} turns in one append, but an inbox holds at most {greatest} waiting turns"
        raise InvalidInput(msg, remedy="append them in smaller lists, or raise TURNFOLD_MAX_INBOX_TURNS")
    size, most_bytes = sum(len(entry.body) for entry in entries), settings.max_inbox_bytes
    if size > most_bytes:
        msg = f"turns of {size} bytes in one append, but an inbox holds at most {most_bytes} waiting bytes"
        raise InvalidInput(msg, remedy="append them in smaller lists, or raise TURNFOLD_MAX_INBOX_BYTES")


def _was_refused(error: InboxFull | Unavailable) -> bool:
    """Whether Redis answered and refused, so that nothing was added."""
    from redis import ResponseError  # loaded already by the code that raised the error

    return isinstance(error, InboxFull) or isinstance(error.__cause__, ResponseError)


def change(resources: Resources, settings: Settings, address: Address, asked: TurnChange) -> None:
    """Append an edit, a deletion or a rewind, once it is checked. Raises as `pending_edits.check` and `put`."""
    pending_edits.check(resources.inbox(), resources.reader(), address, asked)
    entry = Entry(f"{asked.operation}-{secrets.token_hex(12)}", asked.body)
    put(resources, settings, address, asked.operation, [entry])
