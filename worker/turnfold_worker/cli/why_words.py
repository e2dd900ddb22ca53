"""Why a statement stands no more, in plain words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import AnchorState

if TYPE_CHECKING:
    from turnfold.contract.records import Anchor

CLOSED: Final = (AnchorState.SUPERSEDED, AnchorState.RESOLVED, AnchorState.DISMISSED)
"""States of what no longer holds; what only says again what another turn says still does."""
_LONGEST: Final = 80
"""Characters of the words that closed a statement."""
_WORDS: Final = {
    AnchorState.SUPERSEDED: ("turn {seq} took its place{day}: {text}", "it was taken back or changed"),
    AnchorState.RESOLVED: (
        "turn {seq} settled it{day}: {text}",
        "it was done in the turns right after it, or settled by hand",
    ),
    AnchorState.DUPLICATE: ("turn {seq} says the same: {text}", "another turn says the same"),
    AnchorState.DISMISSED: ("it was said not to matter", "it was said not to matter"),
}


def why_closed(anchor: Anchor, by_id: Mapping[int, Anchor]) -> str:
    """Why a statement stands no more, with the turn and the words that closed it; empty for one that stands."""
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
    """Of statements that no longer hold, those that the latest turns closed, the last first.

    A statement without a score only says by what another one was settled.
    """

    def closed_at(anchor: Anchor) -> int:
        by = None if anchor.related is None else by_id.get(anchor.related)
        return anchor.turn_seq if by is None else by.turn_seq

    stated = (anchor for anchor in closed if anchor.score)
    return sorted(stated, key=lambda anchor: (-closed_at(anchor), -anchor.turn_seq))[:most]
