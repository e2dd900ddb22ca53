"""Lua scripts, called by hash: one round trip, two more if a server does not know the script yet."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from turnfold.redis.connections import is_cluster_client

if TYPE_CHECKING:
    import redis

    from turnfold.redis.cluster import Cluster


class Call(NamedTuple):
    """The arguments of one script call."""

    shard: int
    names: Sequence[str]
    """Keys, all of the same shard."""
    arguments: Sequence[Any]


class Script:
    """A Lua script that can run on any server."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hash = sha1(text.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, client: redis.Redis, names: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        """Run the script. Raises Redis's errors."""
        from redis.exceptions import NoScriptError

        try:
            return client.evalsha(self._hash, len(names), *names, *arguments)
        except NoScriptError:
            # EVAL also caches the script.
            return client.eval(self._text, len(names), *names, *arguments)

    def together(self, client: redis.Redis, calls: Sequence[Call], *, milliseconds: int = 0) -> list[Any]:
        """Run several calls in one round trip per server; with `milliseconds`, WAIT for a replica and append its reply.

        Raises Redis's errors.
        """
        from redis.exceptions import NoScriptError

        if is_cluster_client(client):
            return self._in_cluster(cast("Cluster", client), calls, milliseconds)
        try:
            return self._piped(client, calls, milliseconds)
        except NoScriptError:
            # None of the calls ran, unless scripts were flushed in between; a claim lost that way expires by its lease.
            client.script_load(self._text)
            return self._piped(client, calls, milliseconds)

    def _in_cluster(self, client: Cluster, calls: Sequence[Call], milliseconds: int) -> list[Any]:
        if milliseconds:
            (call,) = calls
            return client.run_confirmed(self._text, call[1:], milliseconds=milliseconds)
        return client.run(self._text, self._hash, [call[1:] for call in calls])

    def _piped(self, client: redis.Redis, calls: Sequence[Call], milliseconds: int) -> list[Any]:
        pipeline: Any = client.pipeline(transaction=False)
        for _, names, arguments in calls:
            pipeline.evalsha(self._hash, len(names), *names, *arguments)
        if milliseconds:
            pipeline.wait(1, milliseconds)
        answers: list[Any] = pipeline.execute()
        return answers
