"""A conversation that is folded in this process while it is said, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from turnfold.testing import LocalTurnfold, in_memory


def growing(turns: Sequence[Mapping[str, Any]], *, begin: int, step: int = 1) -> Iterator[LocalTurnfold]:
    """A client whose conversation "c" has the first `begin` turns, then `step` more at each turn of the loop.

    It is one conversation that grows, not a new one each time, so that only what is new is folded.
    """
    with in_memory() as tf:
        tf.append("c", turns[:begin])
        tf.fold_now()
        yield tf
        for start in range(begin, len(turns), step):
            tf.append("c", turns[start : start + step])
            tf.fold_now()
            yield tf
