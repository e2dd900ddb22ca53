"""Explain in plain words why a statement no longer holds. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import AnchorState

if TYPE_CHECKING:
    from turnfold.contract.records import Anchor

CLOSED: Final = (AnchorState.SUPERSEDED, AnchorState.RESOLVED, AnchorState.DISMISSED)
"""States of statements that no longer hold; a duplicate still does."""
_LONGEST: Final = 80
"""Characters shown of the text that closed a statement."""
_WORDS: Final = {
    AnchorState.SUPERSEDED: ("replaced by turn {seq}{day}: {text}", "it was withdrawn or changed"),
    AnchorState.RESOLVED: (
        "resolved by turn {seq}{day}: {text}",
        "it was done in the following turns, or resolved by hand",
    ),
    AnchorState.DUPLICATE: ("turn {seq} says the same: {text}", "another turn says the same"),
    AnchorState.DISMISSED: ("it was dismissed as unimportant", "it was dismissed as unimportant"),
}


def why_closed(anchor: Anchor, by_id: Mapping[int, Anchor]) -> str:
    """Explain why a statement no longer holds, with the turn and text that closed it; empty for an active one."""
    if anchor.state is AnchorState.ACTIVE:
        return ""
    by_another, alone = _WORDS[anchor.state]
    by = None if anchor.related is None else by_id.get(anchor.related)
    if by is None:
        return alone
    day = f" on {by.day}" if by.day else ""
    text = by.text if len(by.text) <= _LONGEST else f"{by.text[: _LONGEST - 2]} …"
    return by_another.format(seq=by.turn_seq, day=day, text=f'"{text}"')


def newest_closed(closed: Iterable[Anchor], by_id: Mapping[int, Anchor], *, most: int) -> list[Anchor]:
    """Return the statements that were closed by the latest turns, latest first.

    Anchors without a score are left out: they only record how another one was settled.
    """

    def closed_at(anchor: Anchor) -> int:
        by = None if anchor.related is None else by_id.get(anchor.related)
        return anchor.turn_seq if by is None else by.turn_seq

    stated = (anchor for anchor in closed if anchor.score)
    return sorted(stated, key=lambda anchor: (-closed_at(anchor), -anchor.turn_seq))[:most]
