"""Child processes that never outlive the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_DIES_WITH_PARENT: Final = """
import ctypes, os, sys
PR_SET_PDEATHSIG, SIGTERM = 1, 15
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def spawn(
    command: Sequence[str],
    *,
    output: IO[bytes],
    standard_input: bytes = b"",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    keep_open: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `command`, an absolute path and its arguments, in a session of its own; both outputs go to `output`.

    On Linux the kernel sends it SIGTERM when this process dies, however it dies. The terminal's Ctrl-C does not
    reach it: whoever started it stops it. `keep_open` are file descriptors that it inherits; `folder` is where it runs.
    """
    arguments = list(command)
    if sys.platform == "linux":
        arguments = [sys.executable, "-I", "-S", "-c", _DIES_WITH_PARENT, str(os.getpid()), *arguments]

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

    starting = _starter(os.getpid()).submit(start)
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


@cache
def _starter(pid: int) -> ThreadPoolExecutor:  # noqa: ARG001 - one for each process: threads do not survive a fork
    """The one thread that starts processes: to the kernel, the parent whose death counts is a thread."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="turnfold-spawn")
