"""The `turnfold` program, as the shell starts it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

PROJECT = Path(__file__).parents[3] / "worker" / "pyproject.toml"


def started(before: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program, with the given lines executed before it, and return the completed process."""
    module, _, function = tomllib.loads(PROJECT.read_text())["project"]["scripts"]["turnfold"].partition(":")
    program = f"{before}\nfrom {module} import {function}\n{function}()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


# Background jobs of a shell, which tests may be, ignore interrupts unless they restore the handler.
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupting:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""


def test_ctrl_c_before_anything_began_is_told_in_a_word() -> None:
    ended = started(INTERRUPTED, "--version")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "\nAborted!\n")


def test_the_command_has_the_handler_that_was_there() -> None:
    asking = (
        "import atexit, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "atexit.register(lambda: print(signal.getsignal(signal.SIGINT) is signal.default_int_handler))"
    )
    ended = started(asking, "--version")
    assert ended.returncode == 0, ended.stderr
    assert version("turnfold-worker") in ended.stdout
    assert ended.stdout.endswith("True\n")
