"""Anchors that turns after the last fold may have changed: contexts say so until the next fold. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from turnfold.assemble.material import Material
from turnfold.contract.records import Anchor, StoredTurn, TurnState
from turnfold.contract.terms import distinct_terms, rarity
from turnfold.wire.change_cues import may_change

_LEAST_SHARED: Final = 3
"""Minimum total rarity of the terms that an anchor shares with a turn that may change it."""
_MOST_TURNS: Final = 16
"""Maximum number of turns to consider, the newest first: more are unfolded only if workers are behind."""
_OF_ANYTHING: Final = frozenset(map(str, distinct_terms(
    "please always never actually instead decided people thing think want need make sure should would anymore"
)))  # fmt: skip


class Doubt(NamedTuple):
    """A turn that may change an earlier statement, and that no fold has processed."""

    seq: int
    terms: frozenset[str]

    def is_on(self, anchor: Anchor) -> bool:
        """Whether the turn is about what an anchor states."""
        shared = self.terms.intersection(distinct_terms(anchor.text))
        return anchor.turn_seq < self.seq and sum(map(rarity, shared)) >= _LEAST_SHARED


def doubts_of(material: Material) -> tuple[Doubt, ...]:
    """Unfolded turns that may change something, the newest first.

    Includes turns that the read must not show: a doubt reveals the number of its turn, and no word of it.
    """
    head = material.snapshot.head
    if head is None:
        return ()
    # Folded turns are not considered: their text may not have been read.
    window = material.snapshot.hidden_turns or material.window
    waiting = min(_MOST_TURNS, len(window), material.last_seq - head.fold_seq)
    newest = [window[-place] for place in range(1, waiting + 1)]
    doubts = (material.of_turn("doubt", turn, _doubt) for turn in newest)
    return tuple(doubt for doubt in doubts if doubt is not None)


def _doubt(turn: StoredTurn) -> Doubt | None:
    if turn.state is not TurnState.STORED or not may_change(turn.role, turn.content):
        return None
    # Numbers are left out: they are the new values, and unrelated statements may have the same ones.
    words = filter(str.isalpha, distinct_terms(turn.content))
    return Doubt(turn.seq, frozenset(words) - _OF_ANYTHING)


def doubted(anchor: Anchor, doubts: Sequence[Doubt]) -> Anchor:
    """Mark an anchor with the newest turn that may have changed it, if there is one."""
    seq = next((doubt.seq for doubt in doubts if doubt.is_on(anchor)), None)
    return anchor if seq is None else replace(anchor, may_have_changed_seq=seq)
