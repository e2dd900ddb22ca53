"""The bell in Redis: a ring stands there until the thread of a worker that waits for it asks Celery for the task."""

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
    """Rings in one round trip. Safe to share among threads."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def ring(self, ring: Ring) -> bool:
        """Ask for a task; False, and a line in the log, when Redis did not take it: a sweep asks again.

        What is about a shard rings on its server, what is about none on the first that answers: workers hear all.
        """
        try:
            shard = ring.shard
            if shard is None:
                self._servers.first_answering("ringing", lambda client: ring_on(client, ring))
            else:
                with translated("ringing"):
                    ring_on(self._servers.client_of(shard), ring)
        except TurnfoldError as error:
            _log.warning("%s was not rung for: %s", ring.member, type(error.__cause__ or error).__name__)
            return False
        return True


def ring_on(client: redis.Redis, ring: Ring) -> None:
    """Ring on one server. Raises Redis's errors."""
    _RING(client, [ring.key], [ring.member, RUNG_SECONDS])
