"""A real Redis Cluster on this machine: its primaries, and replicas where a test asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from support.waiting import wait_until
from turnfold_worker.local.local_port import free_port, is_free
from turnfold_worker.local.redis_server import RedisServer

SLOTS = 16_384
BUS = 10_000
"""Nodes talk to each other on a port that lies so far above that for clients."""


class ClusterNode(RedisServer):
    """One node; on its own it serves nothing."""

    def _configuration(self, port: int) -> str:
        lines = [
            "cluster-enabled yes", "cluster-config-file nodes.conf",
            # A primary that does not answer for so long is replaced, where it has a replica.
            "cluster-node-timeout 1500", "cluster-require-full-coverage no", "repl-diskless-sync-delay 0",
        ]  # fmt: skip
        return super()._configuration(port) + "\n".join(lines) + "\n"


class RedisCluster:
    """Nodes that know each other."""

    def __init__(self, primaries: list[ClusterNode], replicas: list[ClusterNode]) -> None:
        self.primaries = primaries
        self.replicas = replicas

    @property
    def url(self) -> str:
        """As TURNFOLD_REDIS_URL names it."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.primaries)
        return f"redis+cluster://{hosts}"

    def client(self) -> redis.RedisCluster:
        """A client of all nodes; the caller closes it."""
        return redis.RedisCluster(host="127.0.0.1", port=self.primaries[-1].port, decode_responses=True)

    def wait_until_it_serves(self) -> None:
        """Until each node takes all others for alive."""
        nodes = (*self.primaries, *self.replicas)
        wait_until(lambda: all(map(_serves, nodes)), what="the cluster serves")

    def clear(self) -> None:
        """Empty it."""
        for node in self.primaries:
            with node.client() as client:
                client.flushall()

    def keys(self) -> dict[str, int]:
        """Every key, with the seconds that it has left, -1: any number."""
        left: dict[str, int] = {}
        for node in self.primaries:
            with node.client() as client:
                left |= {str(name): int(client.ttl(name)) for name in client.scan_iter("*")}
        return left


@contextmanager
def redis_cluster(folder: Path, *, primaries: int = 3, replicas: int = 0) -> Iterator[RedisCluster]:
    """A cluster of so many primaries; the first ones have a replica each."""
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(ClusterNode(folder / f"node-{n}", port=_port())) for n in range(primaries + replicas)
        ]
        clients = [stack.enter_context(node.client()) for node in nodes]
        bounds = [SLOTS * n // primaries for n in range(primaries + 1)]
        for n, client in enumerate(clients[:primaries]):
            client.execute_command("CLUSTER", "ADDSLOTS", *range(bounds[n], bounds[n + 1]))
        for n, client in enumerate(clients):
            client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
        for node in nodes[1:]:
            clients[0].execute_command("CLUSTER", "MEET", "127.0.0.1", node.port)
        wait_until(lambda: all(_knows(client, len(nodes)) for client in clients), what="nodes know each other")
        for n, client in enumerate(clients[primaries:]):
            client.execute_command("CLUSTER", "REPLICATE", clients[n].execute_command("CLUSTER", "MYID"))
        cluster = RedisCluster(nodes[:primaries], nodes[primaries:])
        cluster.wait_until_it_serves()
        yield cluster


def _port() -> int:
    """A free port with a free one beside it for the nodes themselves."""
    while not is_free((port := free_port()) + BUS):
        pass
    return port


def _knows(client: redis.Redis, nodes: int) -> bool:
    return len(client.cluster("nodes")) == nodes


def _serves(node: ClusterNode) -> bool:
    with node.client() as client:
        about = client.cluster("info")
        replicates = client.info("replication")
    serves_all = about["cluster_state"] == "ok" and about["cluster_slots_ok"] == str(SLOTS)
    return serves_all and replicates.get("master_link_status", "up") == "up"
