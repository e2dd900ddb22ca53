"""Clocks of other processes that can be set while they run, by libfaketime from a package: no rights needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from unittest import mock


class Clocks:
    """One clock a name; each is right until it is set. Monotonic clocks stay as they are, as in a real step."""

    def __init__(self, folder: Path) -> None:
        """Raises `ModuleNotFoundError` when the package is not installed."""
        self._library = _library()
        self._folder = folder
        folder.mkdir()

    def environment(self, name: str) -> dict[str, str]:
        """Variables of a process that is to live by this clock."""
        if not self._file(name).exists():
            self.set(name, 0)
        return {
            "LD_PRELOAD": str(self._library), "FAKETIME_TIMESTAMP_FILE": str(self._file(name)),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip

    @contextmanager
    def inherited(self, name: str) -> Iterator[None]:
        """What is started within lives by this clock."""
        with mock.patch.dict(os.environ, self.environment(name)):
            yield

    def set(self, name: str, seconds: int) -> None:
        """So far ahead of the real time from now on."""
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
