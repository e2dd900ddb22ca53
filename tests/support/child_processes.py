"""Environment and end of the processes that tests start."""

from __future__ import annotations

import os
import sys

import psutil

from support.waiting import wait_until


def child_environment(**variables: str) -> dict[str, str]:
    """Return this process's variables with `variables`; a Python started with them imports the same sources."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}


def wait_until_gone(*processes: psutil.Process) -> None:
    """Wait until processes have ended, even if no parent has reaped them."""
    wait_until(lambda: all(map(is_gone, processes)), what=f"{processes} end")


def is_gone(process: psutil.Process) -> bool:
    """Return whether a process has ended; an unreaped one remains as a zombie."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
