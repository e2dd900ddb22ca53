"""What stages made of a turn of the open tail, kept for the folds that read it again, whichever process does them.

A turn of an open tail is read by each fold until its segment is closed. What a stage makes of the turn and of a little
beside it is the same each time, and read in a fraction of the time that making it takes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, TypeVar

from turnfold.contract.records import StoredTurn

LONGEST: Final = 16_000
"""Code points of a turn of which anything is kept: an open tail holds no more, or a single turn that is soon closed."""
_HASH_BYTES: Final = 12

_Made = TypeVar("_Made")


class TurnMemo:
    """What stages made of one turn, as JSON has it, each with a hash of what it depends on beside the turn."""

    __slots__ = ("has_changed", "made", "row", "turn_hash")

    def __init__(self, turn_hash: str, made: dict[str, list[Any]] | None = None, *, row: int = 0) -> None:
        self.turn_hash = turn_hash
        self.made = made if made is not None else {}
        """Stage -> [hash of what stands around the turn, what was made]."""
        self.row = row
        """The number by which it is stored; 0 of one that is not."""
        self.has_changed = False
        """Whether a stage has put something in."""


def made_once(
    memo: TurnMemo | None, stage: str, around: str, make: Callable[[], _Made], *, pack: Callable[[_Made], Any],
    unpack: Callable[[Any], _Made],
) -> _Made:  # fmt: skip
    """What a stage makes of a turn with this `around` it; by `make` where no memo holds it yet.

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
    """A memo for each turn that is not too long, by its number: the known one, unless that is of another text."""
    memos = {}
    for turn in turns:
        if len(turn.content) <= LONGEST:
            hashed, memo = hash_of(turn), known.get(turn.seq)
            memos[turn.seq] = memo if memo is not None and memo.turn_hash == hashed else TurnMemo(hashed)
    return memos


def hash_of(turn: StoredTurn) -> str:
    """A hash of all that a stage may read of a turn: all but its number, and the id that it was given."""
    return around_of(
        turn.role, turn.name, turn.content, turn.parts and dict(turn.parts), int(turn.importance),
        turn.created_at and turn.created_at.isoformat(), turn.metadata and dict(turn.metadata), int(turn.state),
    )  # fmt: skip


def around_of(*parts: Any) -> str:
    """A hash of what JSON can hold, the same in every process."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=_HASH_BYTES).hexdigest()
