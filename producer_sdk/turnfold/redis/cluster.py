"""A Redis Cluster used like a single server: a subclass of redis-py's client.

All keys of a call share a hash tag, and so a slot. redis-py follows moved slots (MOVED, ASK) and failovers of
primaries.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.cluster import ClusterNode
from redis.exceptions import AskError, ClusterDownError, ClusterError, NoScriptError, TryAgainError
from redis.retry import Retry

from turnfold.contract.server_urls import nodes_of_cluster

_RETRIES: Final = 1
"""Retries of a command after the nodes were looked up again. Each try may take a socket's whole timeout."""
_LOOKS: Final = 4
"""Tries of a command that needs a replica's confirmation, or that no node accepts."""
_LOOK_SECONDS: Final = 0.05
ScriptCall = tuple[Sequence[str], Sequence[Any]]
"""The keys and arguments of a script call."""


class Cluster(redis.RedisCluster):
    """A client of all nodes of a cluster as one server. Connects on creation."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Retry, after a pause, a command that nodes redirected to each other, as they do right after a slot moved.

        Safe, because no node ran it.
        """
        for look in range(1, _LOOKS):
            try:
                return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
            except ClusterError as error:
                if type(error) is not ClusterError:
                    raise
                time.sleep(look * _LOOK_SECONDS)
                self.nodes_manager.initialize()
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def run(self, text: str, digest: str, calls: Sequence[ScriptCall]) -> list[Any]:
        """Run a script for several calls, in one round trip per node. Raises Redis's errors."""
        answers = self._piped([("EVALSHA", digest, len(names), *names, *arguments) for names, arguments in calls])
        # Each node either knows the script or not: calls that ran are not repeated.
        unknown = [number for number, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if unknown:
            again = [
                ("EVAL", text, len(names), *names, *arguments) for names, arguments in map(calls.__getitem__, unknown)
            ]
            for number, answer in zip(unknown, self._piped(again), strict=True):
                answers[number] = answer
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def run_confirmed(self, text: str, call: ScriptCall, *, milliseconds: int) -> list[Any]:
        """Run a script and WAIT for a replica on the same connection; return both replies. Raises Redis's errors."""
        names, arguments = call
        for look in range(1, _LOOKS + 1):
            node = self.get_node_from_key(names[0])  # type: ignore[no-untyped-call]  # redis-py has few types
            pipeline: Any = self.get_redis_connection(node).pipeline(transaction=False)
            pipeline.eval(text, len(names), *names, *arguments)
            pipeline.wait(1, milliseconds)
            try:
                answers: list[Any] = pipeline.execute()
            except (AskError, ClusterDownError, TryAgainError, redis.ConnectionError):
                # MOVED is a subclass of ASK in redis-py. Repeating an append is safe, as its entries are deduplicated
                # by id.
                if look == _LOOKS:
                    raise
                self.nodes_manager.initialize()
            else:
                return answers
        raise AssertionError

    def each_primary(self) -> list[redis.Redis]:
        """Return clients of the primaries, for commands about a single node: its log, memory, clock."""
        return [self.get_redis_connection(node) for node in self.get_primaries()]  # type: ignore[no-untyped-call]

    def _piped(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        pipeline: Any = self.pipeline(transaction=False)  # type: ignore[no-untyped-call]
        for command in commands:
            # The pipeline's `evalsha` is unsupported in a cluster, since a node may not know the script.
            pipeline.execute_command(*command)
        answers: list[Any] = pipeline.execute(raise_on_error=False)
        return answers


def connect_cluster(url: str, *, timeout_seconds: float, most_connections: int) -> Cluster:
    """Connect to a cluster of which a URL names some nodes. Raises `InvalidSettings`, and Redis's errors."""
    first_url, others = nodes_of_cluster(url)
    each = timeout_seconds / (_RETRIES + 1)
    return Cluster(
        url=first_url,
        startup_nodes=[ClusterNode(host, port) for host, port in others],  # type: ignore[no-untyped-call]
        connection_pool_class=redis.BlockingConnectionPool, max_connections=most_connections, timeout=timeout_seconds,
        socket_timeout=each, socket_connect_timeout=each, socket_keepalive=True, protocol=2,
        retry=Retry(ExponentialWithJitterBackoff(base=timeout_seconds / 50, cap=timeout_seconds / 4), _RETRIES),
    )  # fmt: skip
