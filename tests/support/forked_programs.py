"""Run Python programs in forks of a process that has imported them: separate processes without import time.

Tests of a program's start, or of its imports, must use `subprocess` instead.
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
"""Prefixes of variables that the loader and the interpreter read once, at their start."""


def is_forkable(environment: Mapping[str, str]) -> bool:
    """Return whether a fork of this process equals a process started with this environment.

    A fork inherits this process's modules, clock and hash seed.
    """
    names = {name for name in {*environment, *os.environ} if name.startswith(_READ_AT_START)} - {"PYTHONPATH"}
    places = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    return all(environment.get(name) == os.environ.get(name) for name in names) and {*places} <= {*sys.path}


class ForkedProgram:
    """A counterpart of `subprocess.Popen` in a session of its own, which ends with this process at the latest.

    `main` is `module:function`, which finds `arguments` in `sys.argv`. `environment` must be forkable and replaces
    the whole environment. Output and errors are appended to the file `log`.
    """

    def __init__(self, main: str, arguments: Sequence[str], environment: Mapping[str, str], *, log: Path) -> None:
        log.touch()
        begun, begins = _CONTEXT.Pipe(duplex=False)
        told = (main, [*arguments], {**environment}, log, begins)
        self._process = _CONTEXT.Process(target=_become, args=told, daemon=True)
        self._process.start()
        begins.close()
        # Its process group must exist before anyone signals it.
        with begun:
            begun.recv()

    @property
    def pid(self) -> int:
        """Process id, which is also the id of its process group."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Exit code, or the negative number of the signal that ended it; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end. Raises `subprocess.TimeoutExpired`."""
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
        # A process of `multiprocessing` does not run these at its end.
        atexit._run_exitfuncs()
