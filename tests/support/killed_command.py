"""The command `turnfold`, killed before any of its statements, hence also between a commit and what comes after it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sqlalchemy import Engine, event

from support.child_processes import child_environment
from support.forked_programs import ForkedProgram
from turnfold_worker.cli import forget
from turnfold_worker.cli import main as turnfold


def run_killed(statements: int, *arguments: str, log: Path, **environment: str) -> int:
    """What the command ended with; `-SIGKILL` when it had more statements than these."""
    return ForkedProgram(
        f"{__name__}:main", [str(statements), *arguments], child_environment(**environment), log=log
    ).wait()


def main() -> None:
    """Run the command of the arguments behind the first, which is a number of statements."""
    statements, *arguments = sys.argv
    left = int(statements)

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    forget.WAIT_SECONDS = 0.0
    turnfold(arguments)
