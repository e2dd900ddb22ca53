"""Producers that retry failed appends, as every platform must, and pause while their Redis restarts."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from turnfold import Turnfold
from turnfold.errors import Unavailable

THREADS = 4
RECENT = 1_000
"""Acknowledged appends that are remembered because a crash of Redis may still lose them."""

Batch = tuple[tuple[str, str], Sequence[Mapping[str, Any]]]


class Producers:
    """Threads that append conversations, each its own ones; appends to a conversation never overlap.

    With `appendfsync everysec`, Redis acknowledges up to two seconds of appends before they are written, if a sync
    of its log takes long. The platform must repeat those that are lost, in order and before anything newer. What
    Redis has written must never be lost, so it is not repeated.

    `ahead` returns whether the number of appended turns suffices for now; `written` returns Redis's log on disk.
    """

    def __init__(
        self,
        client: Turnfold,
        conversations: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
        seed: float,
        *,
        ahead: Callable[[int], bool],
        written: Callable[[], bytes],
    ) -> None:
        self.failures = 0
        self.unwritten_turns = 0
        self._client = client
        self._ahead = ahead
        self._written = written
        self._appended = 0
        self._recent: deque[Batch] = deque(maxlen=RECENT)
        self._changed = threading.Condition()
        self._open = True
        self._inside = 0
        self._stop = threading.Event()
        self._error: BaseException | None = None
        shares: list[dict[tuple[str, str], Sequence[Mapping[str, Any]]]] = [{} for _ in range(THREADS)]
        for number, (address, said) in enumerate(conversations.items()):
            shares[number % THREADS][address] = said
        self._threads = [
            threading.Thread(target=self._run, args=(share, random.Random(f"{seed} {number}")), daemon=True)
            for number, share in enumerate(shares)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(90)

    @property
    def finished(self) -> bool:
        """Whether everything is appended and acknowledged."""
        return not any(thread.is_alive() for thread in self._threads)

    def reraise(self) -> None:
        """Raise the error that ended a thread, if any."""
        if self._error is not None:
            raise self._error

    @contextmanager
    def held_back(self) -> Iterator[Callable[[], None]]:
        """Pause all appends within the block; yields a function that repeats the appends that Redis lost."""
        with self._changed:
            self._open = False
            self._changed.wait_for(lambda: self._inside == 0)
        try:
            yield self._repeat
        finally:
            with self._changed:
                self._open = True
                self._changed.notify_all()

    def _repeat(self) -> None:
        # Read after the restart, in which Redis cuts off a partly written end.
        written = self._written()
        for (tenant, conversation), turns in list(self._recent):
            lost = [turn for turn in turns if turn["turn_id"].encode() not in written]
            if lost:
                self.unwritten_turns += len(lost)
                self._client.for_tenant(tenant).append(conversation, lost)

    def _run(self, share: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], chance: random.Random) -> None:
        left = {address: deque(said) for address, said in share.items()}
        try:
            while left and not self._stop.is_set():
                if self._ahead(self._appended):
                    self._stop.wait(0.02)
                    continue
                address = chance.choice(sorted(left))
                waiting = left[address]
                turns = [waiting.popleft() for _ in range(min(len(waiting), chance.randint(1, 20)))]
                self._append(address, turns)
                if not waiting:
                    del left[address]
        except BaseException as error:
            self._error = error
            raise

    def _append(self, address: tuple[str, str], turns: Sequence[Mapping[str, Any]]) -> None:
        tenant, conversation = address
        again: Sequence[Any] = turns
        while not self._stop.is_set():
            with self._passing():
                try:
                    receipt = self._client.for_tenant(tenant).append(conversation, again)
                except Unavailable as error:
                    again = error.turns
                    failed = True
                else:
                    failed = False
                    kept = [{**turn, "turn_id": id_} for turn, id_ in zip(turns, receipt.turn_ids, strict=True)]
                    self._recent.append((address, kept))
                    self._appended += len(turns)
            if not failed:
                return
            self.failures += 1
            self._stop.wait(0.02)

    @contextmanager
    def _passing(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._open)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()
