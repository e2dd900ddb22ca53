"""The HTTP gateway as a child process, where its distribution is installed; its key is in the state folder."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from turnfold_worker.local.web_process import WebProcess, chosen_port

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PROGRAM: Final = "from turnfold_gateway.cli import main; main(prog_name='turnfold')"


def is_installed() -> bool:
    """Tell whether `turnfold-gateway` is installed."""
    return find_spec("turnfold_gateway") is not None


class GatewayProcess(WebProcess):
    """A gateway with a key for all operations, stored in its folder."""

    title = "the gateway"
    health_path = "/healthz"
    if_taken = "choose another with --gateway-port, or use --no-gateway"

    def __init__(self, *, folder: Path, port: int | None, environment: Mapping[str, str]) -> None:
        """Take the process's whole `environment`; without a `port`, reuse this folder's last one, or a free one."""
        port = chosen_port(folder, "gateway_url", port)
        self._key_file = folder / "gateway-key"
        command = [sys.executable, "-c", _PROGRAM, "serve", f"--port={port}", f"--key-file={self._key_file}"]
        super().__init__(command, folder=folder, log="gateway.log", port=port, environment=environment)

    @property
    def url(self) -> str:
        """Address of the gateway."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """Key for all operations of the tenant; available once the gateway is ready."""
        return self._key_file.read_text(encoding="utf-8").strip()
