"""Wait for workers: what to poll, and when. The async client uses the same waits, with its own sleep."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.results import ErasureReceipt, Status
from turnfold.contract.tasks import Task
from turnfold.database.remnants import remaining
from turnfold.errors import WaitTimeout
from turnfold.read import queries as retrieval
from turnfold.redis.inbox import ProducerInbox

if TYPE_CHECKING:
    from turnfold.database.reader import Reader

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 0.25
_RING_AGAIN_SECONDS: Final = 2.0
"""Seconds after which a requested fold is requested again."""

_Found = TypeVar("_Found")
_Found_co = TypeVar("_Found_co", covariant=True)


class Wait(Protocol[_Found_co]):
    """A condition that workers will bring about, and its result."""

    def look(self) -> _Found_co | None:
        """Poll the servers once, without sleeping; None while the result is not there."""

    def give_up(self, timeout_seconds: float) -> _Found_co:
        """Return the result after a timeout, or raise."""


def pauses(timeout_seconds: float) -> Iterator[float]:
    """Yield the seconds to sleep between polls, with backoff, until the timeout."""
    end = time.monotonic() + timeout_seconds
    pause = _FIRST_PAUSE_SECONDS
    while (left := end - time.monotonic()) > 0:
        yield min(pause, left)
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)


def until(wait: Wait[_Found], timeout_seconds: float) -> _Found:
    """Poll a wait until it has a result or times out, and return the result or what `give_up` returns."""
    outcome = wait.look()
    for pause in pauses(timeout_seconds):
        if outcome is not None:
            break
        time.sleep(pause)
        outcome = wait.look()
    return wait.give_up(timeout_seconds) if outcome is None else outcome


class StoreWait:
    """Waits until a worker has stored everything that was in the inbox at the first poll."""

    def __init__(self, inbox: ProducerInbox, address: Address) -> None:
        self._inbox = inbox
        self._address = address
        self._looked = False
        self._last_id: str | None = None
        """Stream id of the newest entry at the first poll."""

    def look(self) -> bool | None:
        if not self._looked:
            self._looked, self._last_id = True, self._inbox.last_stream_id(self._address)
        if self._last_id is None:
            return True
        return self._inbox.is_stored(self._address, self._last_id) or None

    def give_up(self, timeout_seconds: float) -> bool:  # noqa: ARG002 - a wait's form
        return False


class FoldWait:
    """Waits until everything that was in the inbox at the first poll is stored and folded."""

    def __init__(
        self, inbox: ProducerInbox, reader: Reader, address: Address, ring: Callable[..., None] | None
    ) -> None:
        """`ring` requests the fold of stored turns at once, which workers would put off for more; None: no request."""
        self._inbox = inbox
        self._reader = reader
        self._address = address
        self._ring = ring
        self._ring_again = 0.0
        self._stored = StoreWait(inbox, address)
        self._parked_before: int | None = None
        self._target: int | None = None
        """Number of turns to be folded; None until all of them are stored."""

    def look(self) -> Status | None:
        passed = self._target is not None or self._stored.look()
        status, stopped, conversation = retrieval.progress(self._inbox, self._reader, self._address)
        if self._parked_before is None:
            self._parked_before = status.parked
        if passed and self._target is None:
            self._target = status.stored
        # A rewind may have removed turns that this waits for.
        over = self._target is not None and (stopped or status.folded >= min(self._target, status.stored))
        if over and not stopped:
            over = not retrieval.refolding(self._reader, self._address)
        if over or status.parked > self._parked_before:
            return status
        if self._target is not None and conversation is not None:
            self._ask_for_fold(conversation)
        return None

    def _ask_for_fold(self, conversation: ConversationId) -> None:
        now = time.monotonic()
        if self._ring is not None and now >= self._ring_again:
            self._ring_again = now + _RING_AGAIN_SECONDS
            self._ring(Task.COMPRESS, conversation)

    def give_up(self, timeout_seconds: float) -> Status:
        status = retrieval.progress(self._inbox, self._reader, self._address).status
        msg = (
            f"conversation {self._address.conversation!r} was not folded within {timeout_seconds} s ({status.inbox} "
            f"in the inbox, {status.folded} of {status.stored} stored turns are folded)"
        )
        raise WaitTimeout(msg, remedy="check that workers run: see `turnfold doctor`", status=status)


class ErasureWait:
    """Waits until a worker has deleted the rows of a forgotten conversation."""

    def __init__(self, inbox: ProducerInbox, address: Address, *, inbox_turns: int, sqlite: bool) -> None:
        """`inbox_turns` were dropped from the inbox; `sqlite`: whether the database is SQLite."""
        self._inbox = inbox
        self._address = address
        self._inbox_turns = inbox_turns
        self._sqlite = sqlite

    def look(self) -> ErasureReceipt | None:
        counts = self._inbox.erased(self._address)
        return None if counts is None else self._receipt(json.loads(counts), completed=True)

    def give_up(self, timeout_seconds: float) -> ErasureReceipt:  # noqa: ARG002 - a wait's form
        return self._receipt({}, completed=False)

    def _receipt(self, erased: dict[str, int], *, completed: bool) -> ErasureReceipt:
        return ErasureReceipt(
            conversation_id=self._address.conversation, completed=completed, inbox_turns=self._inbox_turns,
            turns=erased.get("turns", 0), segments=erased.get("segments", 0), anchors=erased.get("anchors", 0),
            remains=remaining(self._inbox.remnants(), sqlite=self._sqlite, completed=completed),
        )  # fmt: skip
