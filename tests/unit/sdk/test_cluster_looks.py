"""A command that the nodes of a cluster redirect to each other is sent again a little later."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import redis
from redis.exceptions import ClusterDownError, ClusterError

from turnfold.redis.cluster import Cluster


def _cluster(monkeypatch: pytest.MonkeyPatch, *answers: object) -> tuple[Cluster, list[str]]:
    """Return a cluster that gives the answers in order, and the list of its topology lookups."""
    left, looked_up = iter(answers), []

    def execute(_cluster: object, *_args: Any, **_options: Any) -> object:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(redis.RedisCluster, "execute_command", execute)
    cluster = Cluster.__new__(Cluster)
    cluster.nodes_manager = SimpleNamespace(initialize=lambda: looked_up.append("nodes"))  # type: ignore[assignment]
    return cluster, looked_up


def test_it_is_sent_again_until_a_node_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, looked_up = _cluster(monkeypatch, *[ClusterError("TTL exhausted.")] * 3, b"PONG")
    assert cluster.execute_command("PING") == b"PONG"
    assert looked_up == ["nodes"] * 3


def test_it_is_given_up_where_none_does(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, looked_up = _cluster(monkeypatch, *[ClusterError("TTL exhausted.")] * 4)
    with pytest.raises(ClusterError, match="exhausted"):
        cluster.execute_command("PING")
    assert looked_up == ["nodes"] * 3


def test_a_cluster_that_is_down_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, looked_up = _cluster(monkeypatch, ClusterDownError("CLUSTERDOWN The cluster is down"))
    with pytest.raises(ClusterDownError):
        cluster.execute_command("PING")
    assert looked_up == []
