"""Limits how many threads compute at a time, so that an event loop in the process gets the GIL soon.

A thread waits up to five milliseconds for the GIL per computing thread. Threads that wait for a server do not count:
they lend their share to others meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Engine


class _OfThread(threading.local):
    """The state of the current thread."""

    share: ProcessorShare | None = None
    lends: int = 0
    """Nesting depth of the waits that have lent it."""
    executes: bool = False
    """Whether a SQLAlchemy statement is among the waits."""


_mine = _OfThread()


class ProcessorShare:
    """A limit on the number of threads that compute at once."""

    def __init__(self, threads: int) -> None:
        self._free = threading.Semaphore(threads)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for a share and hold it inside; reentrant."""
        if _mine.share is not None:
            yield
            return
        self._free.acquire()
        _mine.share, _mine.lends, _mine.executes = self, 0, False
        try:
            yield
        finally:
            lent, _mine.share = _mine.lends > 0, None
            if not lent:
                self._free.release()

    def lend(self) -> None:
        """Let another thread compute meanwhile."""
        _mine.lends += 1
        if _mine.lends == 1:
            self._free.release()

    def take_back(self) -> None:
        """End a wait; at the end of the outermost, wait for a share again."""
        if _mine.lends == 1:
            self._free.acquire()
        _mine.lends -= 1


@contextmanager
def waiting() -> Iterator[None]:
    """Lend the thread's share inside, while it waits for a server."""
    share = _mine.share
    if share is None:
        yield
        return
    share.lend()
    try:
        yield
    finally:
        share.take_back()


def lend_while_executing(engine: Engine) -> None:
    """Lend the thread's share while SQLAlchemy executes a statement."""
    from sqlalchemy import event

    def lend(*_: Any) -> None:
        if _mine.share is not None and not _mine.executes:
            _mine.executes = True
            _mine.share.lend()

    def take_back(*_: Any) -> None:
        if _mine.share is not None and _mine.executes:
            _mine.executes = False
            _mine.share.take_back()

    event.listen(engine, "before_cursor_execute", lend)
    event.listen(engine, "after_cursor_execute", take_back)
    event.listen(engine, "handle_error", take_back)
