"""Lets few of many threads compute at a time, so that an event loop beside them comes to the interpreter soon.

A thread that wants the interpreter waits five milliseconds for each that computes. Of threads that only wait for a
server there may be any number: whoever waits lends its share to others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Engine


class _OfThread(threading.local):
    """What this thread has of a share, if anything."""

    share: ProcessorShare | None = None
    lends: int = 0
    """How many waits, one inside the other, have lent it."""
    executes: bool = False
    """Whether a statement of SQLAlchemy's is among these."""


_mine = _OfThread()


class ProcessorShare:
    """A number of threads that may compute at once."""

    def __init__(self, threads: int) -> None:
        self._free = threading.Semaphore(threads)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Compute inside, once it is this thread's turn; within another `held` it is already."""
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
        """End a wait; at the end of the outermost, compute again when it is this thread's turn."""
        if _mine.lends == 1:
            self._free.acquire()
        _mine.lends -= 1


@contextmanager
def waiting() -> Iterator[None]:
    """Wait for a server inside: what this thread has of a share is others' meanwhile."""
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
    """Lend the thread's share while a statement of SQLAlchemy's is with a server."""
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
