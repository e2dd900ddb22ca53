"""Ports of 127.0.0.1 for servers that keep their port across restarts."""

from __future__ import annotations

import secrets
import socket
from typing import Final

# Below the ephemeral ports, which begin at 32768 on Linux and at 49152 elsewhere: clients that reconnect while a server
# is down use ephemeral ports, and would sooner or later occupy the server's own.
_PORTS: Final = range(15_000, 32_000)
_ATTEMPTS: Final = 100


def free_port() -> int:
    """Return a port that is not in use and outside the range of ephemeral ports."""
    for _ in range(_ATTEMPTS):
        port = secrets.choice(_PORTS)
        if is_free(port):
            return port
    raise OSError(f"no free port between {_PORTS[0]} and {_PORTS[-1]} on 127.0.0.1: stop some servers")


def is_free(port: int) -> bool:
    """Tell whether a server of ours could listen on a port."""
    with socket.socket() as probe:
        # As servers do: closing connections of the previous server do not matter.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
