"""Translate errors of Redis into errors of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import redis
from redis.exceptions import RedisClusterException

from turnfold.errors import Unavailable
from turnfold.redis.errors import refusal
from turnfold_worker.errors import StoreAway

_Adapter = TypeVar("_Adapter", bound=type)


def asks_redis(adapter: _Adapter) -> _Adapter:
    """Let every public method of a class raise `StoreAway` for errors of Redis."""
    for name, method in list(vars(adapter).items()):
        if not name.startswith("_"):
            setattr(adapter, name, translated()(method))
    return adapter


@contextmanager
def translated() -> Iterator[None]:
    """Raise `StoreAway` for errors of Redis, with the reason where Redis rejected a command."""
    try:
        yield
    except Unavailable as error:
        raise StoreAway(error.problem, remedy=error.remedy) from error
    except (redis.RedisError, RedisClusterException) as error:
        if isinstance(error, redis.ResponseError):
            why, remedy = refusal(error)
            raise StoreAway(f"Redis refused: {why}", remedy=remedy) from error
        msg = f"Redis failed: {type(error).__name__}"
        raise StoreAway(msg) from error
