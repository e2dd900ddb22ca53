"""A Redis Cluster in the place of one server: redis-py's client, with what this project asks of it.

All keys of a call have one hash tag, so that each call has one slot. redis-py follows slots that move (MOVED, ASK) and
primaries that fail over.
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
"""Times that a command is sent again to nodes that are looked up anew. Each try may take a socket's whole timeout."""
_LOOKS: Final = 4
"""The same of one that a replica is to confirm, or that no node takes."""
_LOOK_SECONDS: Final = 0.05
ScriptCall = tuple[Sequence[str], Sequence[Any]]
"""The keys and arguments of a script."""


class Cluster(redis.RedisCluster):
    """All nodes of a cluster as one server. Connects when it is made."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """As redis-py's; a command that nodes sent from one to the other, as they do right after a slot moved, waits.

        None of them ran it.
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
        """The answers of a script to some calls, in one round trip a node. Raises Redis's errors."""
        answers = self._piped([("EVALSHA", digest, len(names), *names, *arguments) for names, arguments in calls])
        # Each node knows a script or not: what ran is not run again.
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
        """A script's answer, and that to a WAIT for a replica behind it, on one connection. Raises Redis's errors."""
        names, arguments = call
        for look in range(1, _LOOKS + 1):
            node = self.get_node_from_key(names[0])  # type: ignore[no-untyped-call]  # redis-py has few types
            pipeline: Any = self.get_redis_connection(node).pipeline(transaction=False)
            pipeline.eval(text, len(names), *names, *arguments)
            pipeline.wait(1, milliseconds)
            try:
                answers: list[Any] = pipeline.execute()
            except (AskError, ClusterDownError, TryAgainError, redis.ConnectionError):
                # MOVED is an ASK that lasts. An append that is repeated adds nothing.
                if look == _LOOKS:
                    raise
                self.nodes_manager.initialize()
            else:
                return answers
        raise AssertionError

    def each_primary(self) -> list[redis.Redis]:
        """Clients of its primaries, for what each does for itself: its log, its memory, its clock."""
        return [self.get_redis_connection(node) for node in self.get_primaries()]  # type: ignore[no-untyped-call]

    def _piped(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        pipeline: Any = self.pipeline(transaction=False)  # type: ignore[no-untyped-call]
        for command in commands:
            # Its method refuses EVALSHA, since a node may not know the script.
            pipeline.execute_command(*command)
        answers: list[Any] = pipeline.execute(raise_on_error=False)
        return answers


def connect_cluster(url: str, *, timeout_seconds: float, most_connections: int) -> Cluster:
    """A client of a cluster of which a URL names some nodes. Raises `InvalidSettings`, and Redis's errors."""
    first_url, others = nodes_of_cluster(url)
    each = timeout_seconds / (_RETRIES + 1)
    return Cluster(
        url=first_url,
        startup_nodes=[ClusterNode(host, port) for host, port in others],  # type: ignore[no-untyped-call]
        connection_pool_class=redis.BlockingConnectionPool, max_connections=most_connections, timeout=timeout_seconds,
        socket_timeout=each, socket_connect_timeout=each, socket_keepalive=True, protocol=2,
        retry=Retry(ExponentialWithJitterBackoff(base=timeout_seconds / 50, cap=timeout_seconds / 4), _RETRIES),
    )  # fmt: skip
