"""Segments that are folded once: hundreds of tests fold the same talk, which always makes the same segments."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar, cast

from turnfold.contract.records import StoredTurn
from turnfold_worker.use_cases import fold as compress
from turnfold_worker.use_cases import open_tail, refold

P = ParamSpec("P")
R = TypeVar("R")

_HASH_BYTES = 16
_anew: list[str] = []
"""Why nothing is shared now; of the process, for threads too."""


@contextmanager
def folded_anew(why: str) -> Iterator[None]:
    """Inside, every stage runs: what a test changes in a rule has its effect."""
    _anew.append(why)
    yield
    _anew.remove(why)


def share_folds() -> None:
    """From now on, workers of this process remember what the costly pure stages made of what they were given.

    Stages are shared where use cases call them: whoever imports a stage itself runs it.
    """
    fold_segment = _shared(compress.fold_segment)
    compress.fold_segment = refold.fold_segment = fold_segment
    for stage in ("merge", "roll_up", "make_outline", "with_tail"):
        setattr(compress, stage, _shared(getattr(compress, stage)))
    open_tail.merged_tail = _shared(open_tail.merged_tail)


def _shared(stage: Callable[P, R]) -> Callable[P, R]:
    made: dict[bytes, bytes] = {}
    """By a hash of what it was made from; pickled, so that each caller has objects of its own."""

    @wraps(stage)
    def shared(*arguments: P.args, **options: P.kwargs) -> R:
        if _anew:
            return stage(*arguments, **options)
        given: Any = [_nameless(argument) for argument in arguments]
        # What earlier folds made of its turns makes no difference.
        chosen: Any = {name: _nameless(option) for name, option in options.items() if name != "memos"}
        # Of equal arguments, representations are equal; pickles may not be.
        key = blake2b(repr((given, chosen)).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
        if (pickled := made.get(key)) is None:
            result = stage(*given, **chosen)
            made[key] = pickle.dumps(result)
            return result
        return cast("R", pickle.loads(pickled))  # noqa: S301 - of this process

    return shared


def _nameless(argument: Any) -> Any:
    """Turns without their ids: of those that have none a client makes new ones, and no rule may read them."""
    if isinstance(argument, list | tuple) and argument and isinstance(argument[0], StoredTurn):
        return [replace(turn, turn_id="") for turn in argument]
    return argument
