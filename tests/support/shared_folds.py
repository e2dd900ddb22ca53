"""Cache the folds of segments: hundreds of tests fold the same talk, which always yields the same segments."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from hashlib import blake2b
from types import ModuleType
from typing import Any, Final, ParamSpec, TypeVar, cast

import pytest
from sqlalchemy.util import LRUCache

from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.turns.memo import TurnMemo
from turnfold_worker.use_cases import fold as compress
from turnfold_worker.use_cases import open_tail, refold, search_rows

P = ParamSpec("P")
R = TypeVar("R")

_HASH_BYTES = 16
_ABOVE_THE_RULES: Final = re.compile(
    r"_pytest\.|(?:os|sys|time)\b|turnfold_gateway|turnfold\.(?:database|read|redis)\b|turnfold_worker\.(?!pipeline|errors)"
)
"""Modules that no rule imports, by import-linter's contracts: patching them affects no stage."""
_PATCHES: Final = ("setattr", "delattr", "setitem", "delitem")

_KEPT_TURNS: Final = 4_000
_MemosOf = Callable[[Iterable[StoredTurn], Mapping[int, TurnMemo]], dict[int, TurnMemo]]

_anew: list[object] = []
"""Reasons not to use the cache now; shared by all threads of the process."""


@contextmanager
def folded_anew(why: str) -> Iterator[None]:
    """Run every stage within the block, so that a changed rule takes effect."""
    _anew.append(why)
    yield
    _anew.remove(why)


def share_folds() -> None:
    """From now on, cache the results of the expensive pure stages in this process.

    Only calls from use cases are cached: a test that imports a stage itself runs it.
    """
    fold_segment = _shared(compress.fold_segment)
    compress.fold_segment = refold.fold_segment = fold_segment
    for stage in ("merge", "make_outline", "with_tail"):
        setattr(compress, stage, _shared(getattr(compress, stage)))
    open_tail.merged_tail = _shared(open_tail.merged_tail)
    compress.memos_of = _with_kept_results(compress.memos_of)
    search_rows.postings_again = _shared(search_rows.postings_again)
    for name in _PATCHES:
        setattr(pytest.MonkeyPatch, name, _noticed(getattr(pytest.MonkeyPatch, name)))
    pytest.MonkeyPatch.undo = _forgotten(pytest.MonkeyPatch.undo)  # type: ignore[method-assign]


def _noticed(patch: Callable[..., None]) -> Callable[..., None]:
    """Wrap a method that patches: unless the patch cannot affect a rule, stages run until it is undone."""

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
    """Return the module of a patched object, or its dotted path."""
    if isinstance(target, str):
        return target
    return target.__name__ if isinstance(target, ModuleType) else getattr(target, "__module__", None) or ""


def _shared(stage: Callable[P, R]) -> Callable[P, R]:
    made: dict[bytes, bytes] = {}
    """Pickled results by a hash of the arguments; pickled, so that each caller gets objects of its own."""

    @wraps(stage)
    def shared(*arguments: P.args, **options: P.kwargs) -> R:
        if _anew:
            return stage(*arguments, **options)
        given: Any = [_nameless(argument) for argument in arguments]
        # Memos of earlier folds do not change the result.
        chosen: Any = {name: _nameless(option) for name, option in options.items() if name != "memos"}
        # Equal arguments have equal representations, but maybe different pickles.
        key = blake2b(repr((given, chosen)).encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
        if (pickled := made.get(key)) is None:
            result = stage(*given, **chosen)
            made[key] = pickle.dumps(result)
            return result
        return cast("R", pickle.loads(pickled))  # noqa: S301 - of this process

    return shared


def _with_kept_results(memos_of: _MemosOf) -> _MemosOf:
    """Wrap a function that makes the memos of turns: new ones begin with the results of earlier folds of equal turns.

    Each result has a hash of its inputs besides the turn, so one of other inputs is computed again.
    """
    kept: LRUCache[str, TurnMemo] = LRUCache(_KEPT_TURNS)

    @wraps(memos_of)
    def with_kept_results(turns: Iterable[StoredTurn], known: Mapping[int, TurnMemo]) -> dict[int, TurnMemo]:
        memos = memos_of(turns, known)
        if not _anew:
            for memo in memos.values():
                earlier = kept.get(memo.turn_hash)
                if earlier is not None and not memo.made:
                    memo.made |= {stage: [*held] for stage, held in [*earlier.made.items()]}
                    memo.has_changed = True
                kept[memo.turn_hash] = memo
        return memos

    return with_kept_results


def _nameless(argument: Any) -> Any:
    """Return turns without their ids: the client generates new ones each time, and no rule may read them."""
    if isinstance(argument, list | tuple) and argument and isinstance(argument[0], StoredTurn):
        return [replace(turn, turn_id="") for turn in argument]
    return argument
