"""The `turnfold` program, which Ctrl-C can stop from the start.

Importing the command takes half a second, during which Ctrl-C would otherwise print a traceback.
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
    # The same output as click's, but at once: the module being imported might swallow an exception.
    os.write(2, b"\nAborted!\n")
    os._exit(1)
