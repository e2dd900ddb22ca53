"""Folders for servers that tests start.

They are not below pytest's own temporary folder: each new run closes that folder to other accounts, such as
PostgreSQL's, and with the same `--basetemp` deletes it while servers of an earlier run still use it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a file system in memory: databases there are made ten times as fast
LEAST_FREE_BYTES: Final = 6 * 2**30
"""A run leaves up to 2 GiB there at once, and the machine must not miss that memory."""


def fast_folder() -> Path | None:
    """Return a folder in memory for all files of the tests; None if there is none, or too little room."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return None
    return MEMORY if shutil.disk_usage(MEMORY).free >= LEAST_FREE_BYTES else None


def is_open(folder: Path) -> bool:
    """Return whether every account may enter a folder and its parents."""
    return all(parent.stat().st_mode & 0o001 for parent in (folder, *folder.parents))


def open_folder() -> Path:
    """Return the folder for temporary files, or another one that all accounts may enter.

    Raises `PermissionError` when there is none.
    """
    for folder in map(Path, (tempfile.gettempdir(), "/tmp", "/var/tmp")):  # noqa: S108 - the system's own
        if is_open(folder) and os.access(folder, os.W_OK):
            return folder
    msg = "no folder for temporary files is open to every account: set TMPDIR to one"
    raise PermissionError(msg)


@contextmanager
def own_folder() -> Iterator[Path]:
    """An empty folder for this run alone, deleted with the block."""
    place = open_folder() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="turnfold-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
