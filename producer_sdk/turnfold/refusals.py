"""Why a Redis that answers does not do what it is asked, and what to do about it."""

from __future__ import annotations

import re
from typing import Final

import redis

_REMEDIES: Final = {
    "OOM": "it is out of memory: give it more (maxmemory), or start workers, which empty the inboxes",
    "READONLY": "it is a replica, which takes no writes: name its primary in TURNFOLD_REDIS_URL",
    "MISCONF": "it cannot write to its disk: make room there",
    "NOPERM": "its user may not do this: correct the user's rules (ACL), or the user in TURNFOLD_REDIS_URL",
}
_CODES: Final[dict[type[Exception], str]] = {
    redis.exceptions.OutOfMemoryError: "OOM",
    redis.exceptions.ReadOnlyError: "READONLY",
    redis.exceptions.NoPermissionError: "NOPERM",
}
"""Of errors whose text has lost it; a script's errors have it in the middle of their text."""
_CODE: Final = re.compile(rf"\b({'|'.join(_REMEDIES)})\b")
_SHUT_OUT: Final = "can't run this command"
"""What Redis 6 says in the place of NOPERM inside a script."""


def refusal(error: redis.RedisError) -> str:
    """Why a Redis refused, with the remedy where one is known, and else in its own words."""
    said = str(error)
    if found := _CODE.search(said):
        return _REMEDIES[found[1]]
    code = "NOPERM" if _SHUT_OUT in said else _CODES.get(type(error))
    return _REMEDIES[code] if code else said
