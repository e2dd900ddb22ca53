"""The bell in Redis: a ring stands there until the thread of a worker that waits for it asks Celery for the task."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from turnfold.contract.keys import RUNG_SECONDS
from turnfold.contract.rings import Ring
from turnfold.redis import scripts as inbox_scripts

if TYPE_CHECKING:
    import redis

_log = logging.getLogger(__name__)


class Bell:
    """Rings in one round trip. Safe to share among threads."""

    def __init__(self, client: redis.Redis) -> None:
        self._ring = client.register_script(inbox_scripts.RING)

    def ring(self, ring: Ring) -> bool:
        """Ask for a task; False, and a line in the log, when Redis did not take it: a sweep asks again."""
        import redis

        try:
            self._ring([ring.key], [ring.member, RUNG_SECONDS])
        except redis.RedisError as error:
            _log.warning("%s was not rung for: %s", ring.member, type(error).__name__)
            return False
        return True
