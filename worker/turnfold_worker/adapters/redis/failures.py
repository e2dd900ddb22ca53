"""What Redis's failures mean to a worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from turnfold.redis.errors import refusal
from turnfold_worker.errors import StoreAway


@contextmanager
def translated() -> Iterator[None]:
    """Raise `StoreAway` for what Redis raises, with the reason where it refused."""
    try:
        yield
    except redis.RedisError as error:
        msg = f"Redis failed: {type(error).__name__}"
        if isinstance(error, redis.ResponseError):
            msg = f"Redis refused: {refusal(error)}"
        raise StoreAway(msg) from error
