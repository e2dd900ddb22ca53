"""A real Redis Cluster on this machine: primaries, and replicas where a test asks for them."""

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
"""Offset of the port on which nodes talk to each other from their client port."""


class ClusterNode(RedisServer):
    """One node, which serves nothing on its own."""

    def _configuration(self, port: int) -> str:
        lines = [
            "cluster-enabled yes", "cluster-config-file nodes.conf",
            # A primary with a replica is replaced when it does not answer for this long.
            "cluster-node-timeout 1500", "cluster-require-full-coverage no", "repl-diskless-sync-delay 0",
        ]  # fmt: skip
        return super()._configuration(port) + "\n".join(lines) + "\n"


class RedisCluster:
    """Nodes that have joined each other."""

    def __init__(self, primaries: list[ClusterNode], replicas: list[ClusterNode]) -> None:
        self.primaries = primaries
        self.replicas = replicas

    @property
    def url(self) -> str:
        """The cluster's URL in the form of TURNFOLD_REDIS_URL."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.primaries)
        return f"redis+cluster://{hosts}"

    def client(self) -> redis.RedisCluster:
        """Return a client of all nodes, which the caller closes."""
        return redis.RedisCluster(host="127.0.0.1", port=self.primaries[-1].port, decode_responses=True)

    def wait_until_it_serves(self) -> None:
        """Wait until each node regards all others as alive."""
        nodes = (*self.primaries, *self.replicas)
        wait_until(lambda: all(map(_serves, nodes)), what="the cluster serves")

    def clear(self) -> None:
        """Delete all keys."""
        for node in self.primaries:
            with node.client() as client:
                client.flushall()

    def keys(self) -> dict[str, int]:
        """Return every key with its remaining seconds, -1 if it has no lifetime."""
        left: dict[str, int] = {}
        for node in self.primaries:
            with node.client() as client:
                left |= {str(name): int(client.ttl(name)) for name in client.scan_iter("*")}
        return left


@contextmanager
def redis_cluster(folder: Path, *, primaries: int = 3, replicas: int = 0) -> Iterator[RedisCluster]:
    """A cluster of `primaries`, the first `replicas` of which have a replica each."""
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
    """Return a free port whose cluster bus port is free as well."""
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
