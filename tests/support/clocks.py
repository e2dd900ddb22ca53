"""Set the clocks of other running processes with libfaketime, from a package: no privileges needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from unittest import mock


class Clocks:
    """Clocks by name, each right until it is set. As in a real step, monotonic clocks are unaffected."""

    def __init__(self, folder: Path) -> None:
        """Raises `ModuleNotFoundError` if the package is not installed."""
        self._library = _library()
        self._folder = folder
        folder.mkdir()

    def environment(self, name: str) -> dict[str, str]:
        """Return environment variables that make a process use the clock."""
        if not self._file(name).exists():
            self.set(name, 0)
        return {
            "LD_PRELOAD": str(self._library), "FAKETIME_TIMESTAMP_FILE": str(self._file(name)),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip

    @contextmanager
    def inherited(self, name: str) -> Iterator[None]:
        """Make processes that are started within the block use the clock."""
        with mock.patch.dict(os.environ, self.environment(name)):
            yield

    def set(self, name: str, seconds: int) -> None:
        """Set the clock `seconds` ahead of the real time."""
        new = self._file(name).with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.chmod(0o644)
        new.rename(self._file(name))

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.clock"


def _library() -> Path:
    package = find_spec("libfaketime")
    for folder in (package.submodule_search_locations or []) if package else []:
        for found in sorted(Path(folder).rglob("libfaketime.so.1")):
            return found
    msg = "pip install libfaketime"
    raise ModuleNotFoundError(msg)
