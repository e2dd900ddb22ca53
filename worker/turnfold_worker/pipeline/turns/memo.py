"""Memos: cached results of the stages for turns of the open tail, shared by the folds of all processes.

Each fold reads a turn of the open tail again until its segment is closed. The results of a stage depend on the turn
and little else, and reading them back takes a fraction of the time of computing them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, TypeVar

from turnfold.contract.records import StoredTurn

LONGEST: Final = 16_000
"""Maximum code points of a turn that is cached. An open tail has no more, or it is a single turn that closes soon."""
_HASH_BYTES: Final = 12

_Made = TypeVar("_Made")


class TurnMemo:
    """Cached results of the stages for one turn, as JSON values, each with a hash of its inputs besides the turn."""

    __slots__ = ("has_changed", "made", "row", "turn_hash")

    def __init__(self, turn_hash: str, made: dict[str, list[Any]] | None = None, *, row: int = 0) -> None:
        self.turn_hash = turn_hash
        self.made = made if made is not None else {}
        """Stage -> [hash of the inputs besides the turn, packed result]."""
        self.row = row
        """Number of the stored row; 0 if not stored."""
        self.has_changed = False
        """True once a stage has added a result."""


def made_once(
    memo: TurnMemo | None, stage: str, around: str, make: Callable[[], _Made], *, pack: Callable[[_Made], Any],
    unpack: Callable[[Any], _Made],
) -> _Made:  # fmt: skip
    """Return the cached result of a stage if its hash equals `around`, else compute it by `make` and cache it.

    `unpack(pack(made))` must equal `made`.
    """
    held = memo.made.get(stage) if memo is not None else None
    if held is not None and held[0] == around:
        return unpack(held[1])
    made = make()
    if memo is not None:
        memo.made[stage] = [around, pack(made)]
        memo.has_changed = True
    return made


NO_MEMOS: Final[Mapping[int, TurnMemo]] = MappingProxyType({})


def memos_of(turns: Iterable[StoredTurn], known: Mapping[int, TurnMemo]) -> dict[int, TurnMemo]:
    """Return a memo by number for each turn that is not too long: the known one if the turn is unchanged, else new."""
    memos = {}
    for turn in turns:
        if len(turn.content) <= LONGEST:
            hashed, memo = hash_of(turn), known.get(turn.seq)
            memos[turn.seq] = memo if memo is not None and memo.turn_hash == hashed else TurnMemo(hashed)
    return memos


def hash_of(turn: StoredTurn) -> str:
    """Hash every part of a turn that a stage may read: all but its number and its id."""
    return around_of(
        turn.role, turn.name, turn.content, turn.parts and dict(turn.parts), int(turn.importance),
        turn.created_at and turn.created_at.isoformat(), turn.metadata and dict(turn.metadata), int(turn.state),
    )  # fmt: skip


def around_of(*parts: Any) -> str:
    """Hash JSON-serializable values, with the same result in every process."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=_HASH_BYTES).hexdigest()
