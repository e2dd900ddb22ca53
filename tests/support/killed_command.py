"""Run the command `turnfold` and kill it before a chosen SQL statement, hence also right after a commit."""

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
    """Return the exit code; `-SIGKILL` if the command had more than `statements` statements."""
    return ForkedProgram(
        f"{__name__}:main", [str(statements), *arguments], child_environment(**environment), log=log
    ).wait()


def main() -> None:
    """Run a command; the first argument is the number of statements until its death."""
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
