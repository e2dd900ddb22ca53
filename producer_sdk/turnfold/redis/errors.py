"""Why a Redis that answers does not do what it is asked, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnfold.contract.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import redis

_REMEDIES: Final = {
    "OOM": ("it is out of memory", "give it more (maxmemory), or start workers, which empty the inboxes"),
    "READONLY": ("it is a replica, which takes no writes", "name its primary in TURNFOLD_REDIS_URL"),
    "MISCONF": ("it cannot write to its disk", "make room there"),
    "NOPERM": ("its user may not do this", "correct the user's rules (ACL), or the user in TURNFOLD_REDIS_URL"),
}
_CODES: Final = {"OutOfMemoryError": "OOM", "ReadOnlyError": "READONLY", "NoPermissionError": "NOPERM"}
"""By the name of redis-py's error: its text has lost the code, which a script's errors have in the middle of theirs."""
_CODE: Final = lazy_pattern(rf"\b({'|'.join(_REMEDIES)})\b")
_SHUT_OUT: Final = "can't run this command"
"""What Redis 6 says in the place of NOPERM inside a script."""


def refusal(error: redis.RedisError) -> tuple[str, str]:
    """Why a Redis refused, in its own words where the reason is none of ours, and the remedy."""
    message = str(error)
    if code_found := _CODE.search(message):
        return _REMEDIES[code_found[1]]
    code = "NOPERM" if _SHUT_OUT in message else _CODES.get(type(error).__name__)
    return _REMEDIES[code] if code else (message, "look into its log")
