"""Errors that a Redis server replies with, and their remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnfold.contract.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import redis

_REMEDIES: Final = {
    "OOM": ("it is out of memory", "raise maxmemory, or start workers, which empty the inboxes"),
    "READONLY": ("it is a read-only replica", "name its primary in TURNFOLD_REDIS_URL"),
    "MISCONF": ("it cannot write to its disk", "free disk space"),
    "NOPERM": (
        "the user lacks permission for this command",
        "correct the user's ACL, or the user in TURNFOLD_REDIS_URL",
    ),
}
_CODES: Final = {"OutOfMemoryError": "OOM", "ReadOnlyError": "READONLY", "NoPermissionError": "NOPERM"}
"""Error codes by redis-py's exception class, whose message lacks the code; script errors have it in their message."""
_CODE: Final = lazy_pattern(rf"\b({'|'.join(_REMEDIES)})\b")
_SHUT_OUT: Final = "can't run this command"
"""Message of Redis 6 in place of NOPERM inside a script."""


def refusal(error: redis.RedisError) -> tuple[str, str]:
    """Return the reason of an error, in Redis's own words if unknown, and its remedy."""
    message = str(error)
    if code_found := _CODE.search(message):
        return _REMEDIES[code_found[1]]
    code = "NOPERM" if _SHUT_OUT in message else _CODES.get(type(error).__name__)
    return _REMEDIES[code] if code else (message, "check its log")
