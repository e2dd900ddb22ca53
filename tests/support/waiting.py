"""Wait until something becomes true; tests never sleep for a guessed time.

Time limits only end what hangs: on a busy machine, work of a second may take half a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def wait_until(
    look: Callable[[], Found], *, timeout_seconds: float = 90.0, what: str | Callable[[], str] = ""
) -> Found:
    """Return the first true result of `look`. Fails with `what`, or its result, after `timeout_seconds`."""
    end = time.monotonic() + timeout_seconds
    pause = 0.005
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            message = f"not within {timeout_seconds} s: {what() if callable(what) else what or look}"
            raise AssertionError(message)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
