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
    """Start `command`, an absolute path and its arguments, in its own session, with both outputs going to `output`.

    On Linux the kernel sends it `death_signal` when this process dies for any reason. The terminal's Ctrl-C does not
    reach it; the caller has to stop it. `keep_open` are file descriptors that it inherits, `folder` its working
    directory.
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
    except BaseException:  # a signal during the start: the caller would not know the process
        kill(starting.result())
        raise
    assert process.stdin is not None  # noqa: S101 - for the type checker: stdin is a pipe
    # A broken pipe means that it is dead already; the caller will notice, and has its output.
    with suppress(BrokenPipeError):
        process.stdin.write(standard_input)
        process.stdin.close()
    return process


def stop(process: subprocess.Popen[bytes], *, timeout_seconds: float) -> None:
    """Send SIGTERM to a process; after `timeout_seconds` kill it. Its descendants are killed in any case."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout_seconds)
    kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its descendants at once."""
    # Its children share its session, and may outlive it.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class ChildProcess:
    """A child process that a subclass's `start` stores in `_process`; can be restarted after it ends."""

    _process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """True while the process is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Process id; None when the process is not running."""
        return self._process.pid if self._process is not None and self.running else None

    def stop(self, *, timeout_seconds: float) -> None:
        """Let the process finish its work; kill it and its children after `timeout_seconds`."""
        if self._process is not None:
            stop(self._process, timeout_seconds=timeout_seconds)
            self._process = None

    def kill(self) -> None:
        """Kill the process and its children, as a crash would."""
        if self._process is not None:
            kill(self._process)
            self._process = None


class _Starter:
    """The one thread that starts processes: the kernel sends the death signal when the parent thread ends."""

    def __init__(self) -> None:
        self._wanted: SimpleQueue[tuple[Callable[[], subprocess.Popen[bytes]], Future[subprocess.Popen[bytes]]]]
        self._wanted = SimpleQueue()
        # A daemon thread is not joined when the process ends; its children end with it.
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
            except Exception as error:  # noqa: BLE001 - re-raised by the caller's `result`
                made.set_exception(error)


@cache
def _starter(pid: int) -> _Starter:  # noqa: ARG001 - one for each process: threads do not survive a fork
    return _Starter()
