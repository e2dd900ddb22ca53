"""Requirements of the machine: tests are skipped where one is missing, but fail where CI is set."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, but fail where CI is set. `reason` names what to install."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def skipping_on(error: type[Exception]) -> Iterator[None]:
    """Skip the test if the block raises `error`, with its message; re-raise where CI is set."""
    try:
        yield
    except error as raised:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(raised))


def needed_package(name: str) -> Any:
    """Import a module. Skips where its package is not installed, but fails where CI is set."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)
