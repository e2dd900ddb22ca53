"""Child processes that never outlive the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_DIES_WITH_PARENT: Final = """
import ctypes, os, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(sys.argv[1]))
if os.getppid() != int(sys.argv[2]):
    sys.exit(1)
os.execv(sys.argv[3], sys.argv[3:])
"""


def spawn(
    command: Sequence[str],
    *,
    output: IO[bytes],
    standard_input: bytes = b"",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    keep_open: Sequence[int] = (),
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start `command`, an absolute path and its arguments, in a session of its own; both outputs go to `output`.

    On Linux the kernel sends it `death_signal` when this process dies, however it dies. The terminal's Ctrl-C does not
    reach it: whoever started it stops it. `keep_open` are file descriptors that it inherits; `folder` is where it runs.
    """
    arguments = list(command)
    if sys.platform == "linux":
        numbers = [str(int(death_signal)), str(os.getpid())]
        arguments = [sys.executable, "-I", "-S", "-c", _DIES_WITH_PARENT, *numbers, *arguments]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - the command is ours
            arguments,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=None if environment is None else dict(environment),
            pass_fds=tuple(keep_open),
            start_new_session=True,
        )

    starting = _starter(os.getpid()).start(start)
    try:
        process = starting.result()
    except BaseException:  # a signal while it was being started: nobody would know of it
        kill(starting.result())
        raise
    assert process.stdin is not None  # noqa: S101 - for the type checker: it was asked for
    # A broken pipe: it is dead already, and whoever waits for it will find out, with its output.
    with suppress(BrokenPipeError):
        process.stdin.write(standard_input)
        process.stdin.close()
    return process


def stop(process: subprocess.Popen[bytes], *, timeout_seconds: float) -> None:
    """Ask a process to end; after `timeout_seconds` kill it and everything that it started."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout_seconds)
    kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it started, without a chance to tidy up."""
    # Its children may be alive when it is not: they share its session.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class ChildProcess:
    """A process that `start` of a subclass puts into `_process`; it can be started again once it has ended."""

    _process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """True while it lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Its process id while it lives."""
        return self._process.pid if self._process is not None and self.running else None

    def stop(self, *, timeout_seconds: float) -> None:
        """Let it end what it does; kill it and its children after `timeout_seconds`."""
        if self._process is not None:
            stop(self._process, timeout_seconds=timeout_seconds)
            self._process = None

    def kill(self) -> None:
        """End it and its children as a crash would."""
        if self._process is not None:
            kill(self._process)
            self._process = None


class _Starter:
    """The one thread that starts processes: to the kernel, the parent whose death counts is a thread."""

    def __init__(self) -> None:
        self._wanted: SimpleQueue[tuple[Callable[[], subprocess.Popen[bytes]], Future[subprocess.Popen[bytes]]]]
        self._wanted = SimpleQueue()
        # A daemon: nobody waits for it at the end of the process, and with it its children end.
        threading.Thread(target=self._run, name="turnfold-spawn", daemon=True).start()

    def start(self, make: Callable[[], subprocess.Popen[bytes]]) -> Future[subprocess.Popen[bytes]]:
        made: Future[subprocess.Popen[bytes]] = Future()
        self._wanted.put((make, made))
        return made

    def _run(self) -> None:
        while True:
            make, made = self._wanted.get()
            try:
                made.set_result(make())
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                made.set_exception(error)


@cache
def _starter(pid: int) -> _Starter:  # noqa: ARG001 - one for each process: threads do not survive a fork
    return _Starter()
