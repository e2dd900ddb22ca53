"""Scripts, by their hash: one round trip, two more where a server has not seen the script yet."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from turnfold.redis.connections import is_cluster_client

if TYPE_CHECKING:
    import redis

    from turnfold.redis.cluster import Cluster


class Call(NamedTuple):
    """What a script is called with."""

    shard: int
    names: Sequence[str]
    """Keys, all of the shard."""
    arguments: Sequence[Any]


class Script:
    """A script for any server."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hash = sha1(text.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, client: redis.Redis, names: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        """Run it. Raises Redis's errors."""
        from redis.exceptions import NoScriptError

        try:
            return client.evalsha(self._hash, len(names), *names, *arguments)
        except NoScriptError:
            # Keeps it, too.
            return client.eval(self._text, len(names), *names, *arguments)

    def together(self, client: redis.Redis, calls: Sequence[Call], *, milliseconds: int = 0) -> list[Any]:
        """Its answers to some calls, in one round trip a server; then, given `milliseconds`, to a WAIT for a replica.

        Raises Redis's errors.
        """
        from redis.exceptions import NoScriptError

        if is_cluster_client(client):
            return self._in_cluster(cast("Cluster", client), calls, milliseconds)
        try:
            return self._piped(client, calls, milliseconds)
        except NoScriptError:
            # None of the calls ran; or scripts were flushed in between, and a claim that is lost so ends by itself.
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
