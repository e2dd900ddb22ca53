"""Ports of 127.0.0.1 for servers that keep theirs while they are down."""

from __future__ import annotations

import secrets
import socket
from typing import Final

# Below the ports of outgoing connections, which begin at 32768 on Linux and at 49152 elsewhere: clients that try to
# connect again while a server is down are given one of those, and would be given the server's own in the end.
_PORTS: Final = range(15_000, 32_000)
_ATTEMPTS: Final = 100


def free_port() -> int:
    """A port on which nobody listens now and that no outgoing connection is given."""
    for _ in range(_ATTEMPTS):
        port = secrets.choice(_PORTS)
        if is_free(port):
            return port
    raise OSError(f"no free port was found between {_PORTS[0]} and {_PORTS[-1]} of 127.0.0.1: stop some servers")


def is_free(port: int) -> bool:
    """True when a server of ours could listen there."""
    with socket.socket() as probe:
        # As servers do: connections of the last one that are still closing do not matter.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
