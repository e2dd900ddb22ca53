"""The log of a child process: appended to over its restarts, and read for what the newest one said."""

from __future__ import annotations

from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_BYTES: Final = 10 * 1_048_576
"""A log that is larger is put aside, once, when its process starts."""


class ProcessLog:
    """One file, for one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file, for a process that is about to start."""
        if self.path.exists() and self.path.stat().st_size > MOST_BYTES:
            self.path.replace(self.path.with_suffix(".log.1"))
        with self.path.open("ab") as output:
            self._start = output.tell()
            yield output

    def said(self) -> bytes:
        """Everything since the file was last opened."""
        with self.path.open("rb") as log:
            log.seek(self._start)
            return log.read()

    def last_words(self) -> str:
        """The last lines, for a message about a process that ended."""
        lines = [line.strip() for line in self.said().decode(errors="replace").splitlines() if line.strip()]
        return " / ".join(lines[-3:]) or f"it said nothing in {self.path}"
