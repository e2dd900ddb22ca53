"""Workers: turns are stored and folded in the background.

Celery workers move turns from Redis into SQL, in order, and cut the conversation into segments. `wait` blocks until
everything appended so far is stored and folded; tests and scripts use it, services rarely need to. `status` returns the
same numbers at once.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_workers_store_and_fold_what_was_appended(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    status = turnfold.wait("conv")
    assert status.stored == status.folded == len(example())
    assert status.inbox == 0
    assert status.segments > 3
