"""The bell: rings in Redis, which a thread in a worker polls and passes to Celery as tasks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from turnfold.contract.keys import RUNG_SECONDS
from turnfold.contract.rings import Ring
from turnfold.errors import TurnfoldError
from turnfold.redis import scripts as inbox_scripts
from turnfold.redis.connections import translated
from turnfold.redis.lua import Script

if TYPE_CHECKING:
    import redis

    from turnfold.redis.servers import InboxServers

_log = logging.getLogger(__name__)
_RING: Final = Script(inbox_scripts.RING)


class Bell:
    """Rings in one round trip. Thread-safe."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def ring(self, ring: Ring) -> bool:
        """Request a task. Returns False, with a log entry, if Redis fails: a sweep will ring again.

        A ring for a shard goes to its server, any other to the first server that answers: workers listen to all.
        """
        try:
            shard = ring.shard
            if shard is None:
                self._servers.first_answering("ringing", lambda client: ring_on(client, ring))
            else:
                with translated("ringing"):
                    ring_on(self._servers.client_of(shard), ring)
        except TurnfoldError as error:
            _log.warning("the bell for %s was not rung: %s", ring.member, type(error.__cause__ or error).__name__)
            return False
        return True


def ring_on(client: redis.Redis, ring: Ring) -> None:
    """Ring on one server. Raises Redis's errors."""
    _RING(client, [ring.key], [ring.member, RUNG_SECONDS])
