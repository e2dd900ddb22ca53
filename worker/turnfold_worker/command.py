"""The `turnfold` program: it can be stopped from its first moment on.

What the command needs takes half a second to import, in which Ctrl-C would show a traceback.
"""

from __future__ import annotations

import os
import signal
from types import FrameType


def main() -> None:
    """Import the command and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    from turnfold_worker.cli import main as command

    signal.signal(signal.SIGINT, before)
    command()


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's form
    # As click ends a command, but at once: an exception may be swallowed by what is being imported.
    os.write(2, b"\nAborted!\n")
    os._exit(1)
