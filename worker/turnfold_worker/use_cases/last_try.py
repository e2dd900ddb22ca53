"""The last try on a conversation whose rules fail: plainer results, so that it makes progress."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from turnfold_worker.errors import Retryable, where

T = TypeVar("T")

_log = logging.getLogger(__name__)


def or_plain(make: Callable[[], T], plain: Callable[[], T], *, total: bool, loss: str) -> T:
    """Return `make()`, or `plain()` where `make` fails and `total` is set; `loss` names the loss in the log.

    An outage is not a failure of the rules: a `Retryable` always propagates.
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
