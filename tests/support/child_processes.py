"""Processes that tests start: their environment, and their end."""

from __future__ import annotations

import os
import sys

import psutil

from support.waiting import wait_until


def child_environment(**variables: str) -> dict[str, str]:
    """This process's variables and these; a Python started with them imports the sources that this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}


def wait_until_gone(*processes: psutil.Process) -> None:
    """Wait until processes have ended, though nobody may have asked how."""
    wait_until(lambda: all(map(is_gone, processes)), what=f"{processes} end")


def is_gone(process: psutil.Process) -> bool:
    """Whether a process has ended; one that nobody waits for stays as a zombie."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
