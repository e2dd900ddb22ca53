"""Python programs in forks of one process that has imported them: each is a process of its own, and costs no imports.

A test of how a program starts, or of what it imports, has to start it with `subprocess`.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["support.preloaded"])
_READ_AT_START: Final = ("LD_", "PYTHON")
"""How variables begin that the loader and the interpreter read, and nobody later."""


def is_forkable(environment: Mapping[str, str]) -> bool:
    """Whether a fork of this process is what a process started with this environment would be.

    A fork has the modules of this process, its clock and its order of sets.
    """
    names = {name for name in {*environment, *os.environ} if name.startswith(_READ_AT_START)} - {"PYTHONPATH"}
    places = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    return all(environment.get(name) == os.environ.get(name) for name in names) and {*places} <= {*sys.path}


class ForkedProgram:
    """As `subprocess.Popen` of a program, in a session of its own; it ends with this process at the latest.

    `main` is `module:function`, which finds `arguments` in `sys.argv`. `environment`, which has to be forkable, is all
    of its environment. What it prints is appended to the file `log`, its errors too.
    """

    def __init__(self, main: str, arguments: Sequence[str], environment: Mapping[str, str], *, log: Path) -> None:
        log.touch()
        begun, begins = _CONTEXT.Pipe(duplex=False)
        told = (main, [*arguments], {**environment}, log, begins)
        self._process = _CONTEXT.Process(target=_become, args=told, daemon=True)
        self._process.start()
        begins.close()
        # Whoever signals its group must find one.
        with begun:
            begun.recv()

    @property
    def pid(self) -> int:
        """It leads a group of processes of the same number."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """What it ended with, below zero: the signal. None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutExpired(self._process.name, timeout or 0)
        return self.returncode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def _become(main: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path, begins: Connection) -> None:
    os.setsid()
    file = os.open(log, os.O_WRONLY | os.O_APPEND)
    for output in (1, 2):
        os.dup2(file, output)
    os.close(file)
    with begins:
        begins.send(None)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = arguments
    module, _, function = main.partition(":")
    try:
        getattr(import_module(module), function)()
    finally:
        # A process of `multiprocessing` ends without them.
        atexit._run_exitfuncs()
