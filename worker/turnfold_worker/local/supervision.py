"""Restart child processes that die, with a pause that doubles while one keeps dying."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from turnfold.errors import TurnfoldError

LOOK_SECONDS: Final = 0.2
FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 30.0
STEADY_SECONDS: Final = 30.0
"""A process that lived this long is restarted after the shortest pause."""


class Child(Protocol):
    """A process that can be restarted."""

    @property
    def running(self) -> bool: ...

    def start(self) -> None:
        """Start the process. Raises `TurnfoldError` on failure."""


@dataclass(slots=True)
class _Watch:
    name: str
    child: Child
    started_at: float
    pause_seconds: float = 0.0
    dead_since: float | None = None


class Supervisor:
    """Watches started children on its own thread until `stop`."""

    def __init__(
        self,
        children: Sequence[tuple[str, Child]],
        *,
        tell: Callable[[str], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Watch `children`; `tell` is called from the thread with a sentence about each death and each failed start.

        `changed` is called from the thread when a child has ended and when it runs again.
        """
        now = time.monotonic()
        self._watches = [_Watch(name, child, now) for name, child in children]
        self._tell = tell
        self._changed = changed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="turnfold-supervisor", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop restarting children. A start in progress may still complete; see `join`."""
        self._stopping.set()

    def join(self, *, timeout_seconds: float) -> None:
        """Wait until no start is in progress."""
        if self._thread.ident is not None:
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            for watch in self._watches:
                if not watch.child.running and not self._stopping.is_set():
                    self._revive(watch)

    def _revive(self, watch: _Watch) -> None:
        now = time.monotonic()
        if watch.dead_since is None:
            watch.dead_since = now
            steady = now - watch.started_at >= STEADY_SECONDS
            watch.pause_seconds = (
                FIRST_PAUSE_SECONDS if steady or not watch.pause_seconds else
                min(2 * watch.pause_seconds, LONGEST_PAUSE_SECONDS)
            )  # fmt: skip
            self._tell(f"{watch.name} exited; restarting it in {watch.pause_seconds:.1f} s")
            self._changed()
        if now - watch.dead_since < watch.pause_seconds:
            return
        watch.dead_since = None
        watch.started_at = time.monotonic()
        try:
            watch.child.start()
        except TurnfoldError as error:
            self._tell(f"{watch.name} did not start: {error}")
        else:
            self._changed()
