"""A conversation that is folded in this process while it grows turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from turnfold.testing import LocalTurnfold, in_memory


def growing(turns: Sequence[Mapping[str, Any]], *, begin: int, step: int = 1) -> Iterator[LocalTurnfold]:
    """Yield a client whose conversation "c" has the first `begin` turns, then `step` more at each iteration.

    The same conversation grows all along, so that only new turns are folded.
    """
    with in_memory() as tf:
        tf.append("c", turns[:begin])
        tf.fold_now()
        yield tf
        for start in range(begin, len(turns), step):
            tf.append("c", turns[start : start + step])
            tf.fold_now()
            yield tf
