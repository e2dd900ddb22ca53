"""The HTTP gateway as a child process, where its distribution is installed; its key lies in the state folder."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from turnfold.errors import Unavailable
from turnfold_worker.local.child_process import ChildProcess, spawn
from turnfold_worker.local.local_port import free_port, is_free
from turnfold_worker.local.process_log import ProcessLog
from turnfold_worker.local.state import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

READY_SECONDS: Final = 60.0
_PROGRAM: Final = "from turnfold_gateway.cli import main; main(prog_name='turnfold')"


class GatewayNotStarted(Unavailable):
    """The gateway ended, or did not answer, or its port is taken; the message holds the end of its log."""


def is_installed() -> bool:
    """True with `turnfold-gateway`."""
    return find_spec("turnfold_gateway") is not None


class GatewayProcess(ChildProcess):
    """A gateway on a port of 127.0.0.1, with its log and a key for everything in a folder."""

    def __init__(self, *, folder: Path, port: int | None, environment: Mapping[str, str]) -> None:
        """`environment` is the whole environment of the process; `port` None: the last one in this folder, or free."""
        last = urlsplit(str(read_settings(folder).get("gateway_url") or "")).port
        self.port = port or (last if last is not None and is_free(last) else free_port())
        self.log = folder / "gateway.log"
        self._log = ProcessLog(self.log)
        self._folder = folder
        self._key_file = folder / "gateway-key"
        self._environment = environment
        self._command = [
            sys.executable, "-c", _PROGRAM, "serve", f"--port={self.port}", f"--key-file={self._key_file}",
        ]  # fmt: skip

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """A key for everything of the tenant, once it is ready."""
        return self._key_file.read_text(encoding="utf-8").strip()

    def start(self) -> None:
        """Start it; returns at once. Raises `GatewayNotStarted` when its port is taken. See `wait_until_ready`."""
        if not is_free(self.port):
            msg = f"port {self.port} is taken"
            raise GatewayNotStarted(msg, remedy="choose another one with --gateway-port, or --no-gateway")
        with self._log.opened() as output:
            self._process = spawn(self._command, output=output, folder=self._folder, environment=self._environment)

    def wait_until_ready(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Until it answers. Raises `GatewayNotStarted`, also when `cancelled` says so."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and not cancelled():
            if not self.running:
                msg = f"the gateway ended before it answered: {self._log.last_words()}"
                raise GatewayNotStarted(msg, remedy=f"see {self.log}")
            if self._answers():
                return
            time.sleep(0.05)
        msg = f"the gateway did not answer within {READY_SECONDS:.0f} s"
        raise GatewayNotStarted(msg, remedy=f"see {self.log}")

    def _answers(self) -> bool:
        # Never through a proxy that the environment names.
        opener = build_opener(ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/healthz", timeout=1):
                return True
        except OSError:
            return False
