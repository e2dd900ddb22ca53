"""Segments that are folded once: hundreds of tests fold the same talk, which always makes the same segments."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from hashlib import blake2b
from types import ModuleType
from typing import Any, Final, ParamSpec, TypeVar, cast

import pytest

from turnfold.contract.records import StoredTurn
from turnfold_worker.use_cases import fold as compress
from turnfold_worker.use_cases import open_tail, refold, search_rows

P = ParamSpec("P")
R = TypeVar("R")

_HASH_BYTES = 16
_ABOVE_THE_RULES: Final = re.compile(
    r"_pytest\.|(?:os|sys|time)\b|turnfold_gateway|turnfold\.(?:database|read|redis)\b|turnfold_worker\.(?!pipeline|errors)"
)
"""Modules that no rule imports, as import-linter's contracts say: a patch there changes no stage."""
_PATCHES: Final = ("setattr", "delattr", "setitem", "delitem")

_anew: list[object] = []
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
    for stage in ("merge", "make_outline", "with_tail"):
        setattr(compress, stage, _shared(getattr(compress, stage)))
    open_tail.merged_tail = _shared(open_tail.merged_tail)
    search_rows.postings_again = _shared(search_rows.postings_again)
    for name in _PATCHES:
        setattr(pytest.MonkeyPatch, name, _noticed(getattr(pytest.MonkeyPatch, name)))
    pytest.MonkeyPatch.undo = _forgotten(pytest.MonkeyPatch.undo)  # type: ignore[method-assign]


def _noticed(patch: Callable[..., None]) -> Callable[..., None]:
    """A way to patch that has stages run, until it is undone, when it may have changed a rule."""

    @wraps(patch)
    def noticed(self: pytest.MonkeyPatch, target: object, *arguments: Any, **options: Any) -> None:
        if not _ABOVE_THE_RULES.match(_module_of(target)):
            _anew.append(self)
        patch(self, target, *arguments, **options)

    return noticed


def _forgotten(undo: Callable[[pytest.MonkeyPatch], None]) -> Callable[[pytest.MonkeyPatch], None]:
    @wraps(undo)
    def forgotten(self: pytest.MonkeyPatch) -> None:
        undo(self)
        _anew[:] = [why for why in _anew if why is not self]

    return forgotten


def _module_of(target: object) -> str:
    """The module that a patched thing is, or comes from, or whose path it is."""
    if isinstance(target, str):
        return target
    return target.__name__ if isinstance(target, ModuleType) else getattr(target, "__module__", None) or ""


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
