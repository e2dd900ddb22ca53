"""What a conversation gets on its last try where the rules fail on it: less words, and no end of its progress."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from turnfold_worker.errors import Retryable, where

T = TypeVar("T")

_log = logging.getLogger(__name__)


def or_plain(make: Callable[[], T], plain: Callable[[], T], *, total: bool, loss: str) -> T:
    """Return what `make` makes, or with `total` what `plain` makes where `make` fails; `loss` says so in the log.

    An outage is no failure of the rules: a `Retryable` passes always.
    """
    try:
        return make()
    except Retryable:
        raise
    except Exception as error:
        if not total:
            raise
        _log.error("%s: %s", loss, where(error))
    return plain()
