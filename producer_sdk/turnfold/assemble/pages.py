"""Split verbatim turns into pages: each word of a range is on exactly one page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Self

from turnfold.assemble.forms.chat import whole
from turnfold.assemble.forms.clip import head_of, longest_within
from turnfold.assemble.forms.render_text import (
    INDENT,
    Openings,
    closed_line,
    day_lines,
    guarded,
    imitates,
    line_openings,
    shown_words,
    turn_opening,
)
from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.tokens import estimate_tokens

GOES_ON: Final = "… "
"""Prefix of a turn whose beginning is on an earlier page."""


@dataclass(frozen=True, slots=True)
class TurnPiece:
    """A turn, or a part of one."""

    turn: StoredTurn
    """The turn, with `content` reduced to the part."""
    begins: int
    """Code points of the turn before the part."""
    length: int
    """Code points of the whole turn."""

    @classmethod
    def of(cls, turn: StoredTurn, *, offset: int = 0) -> Self:
        """The turn from `offset` on."""
        return cls(replace(turn, content=turn.content[offset:]) if offset else turn, offset, len(turn.content))

    def up_to(self, until: int) -> TurnPiece:
        """The piece as if the turn ended at code point `until`."""
        if until >= self.length:
            return self
        content = self.turn.content[: max(0, until - self.begins)]
        return replace(self, turn=replace(self.turn, content=content), length=until)

    @property
    def ends(self) -> int:
        return self.begins + len(self.turn.content)

    def shortened(self, size: int) -> TurnPiece:
        """The first `size` code points of the piece."""
        return replace(self, turn=replace(self.turn, content=self.turn.content[:size]))


@dataclass(frozen=True, slots=True)
class Page:
    """Turns that fit into one page."""

    text: str
    turns: tuple[StoredTurn, ...]
    tokens: int
    goes_on: tuple[int, int] | None
    """Turn and code point at which the next page begins; None when all was shown."""


def page(pieces: Sequence[TurnPiece], max_tokens: int | None, *, labels: Iterable[str] = ()) -> Page:
    """Fill a page with the first pieces that cost at most `max_tokens`; a single one is cut, between words if possible.

    No line inside a turn begins like another speaker's line; speakers are those of the pieces and of `labels`. At least
    one code point is shown, even if it costs more than `max_tokens`.
    """
    openings = line_openings([*labels, *(speaker_label(piece.turn) for piece in pieces)])
    parts = _parts(pieces, openings)
    texts: list[str] = []
    used = 0
    for piece, text in zip(pieces, parts, strict=True):
        cost = estimate_tokens(text)
        if (max_tokens is not None and used + cost > max_tokens) or piece.ends < piece.length:
            break
        texts.append(text)
        used += cost
    shown_turns = [piece.turn for piece in pieces[: len(texts)]]
    if len(texts) == len(pieces):
        return Page("".join(texts), tuple(shown_turns), used, None)
    following = pieces[len(texts)]
    if texts:
        return Page("".join(texts), tuple(shown_turns), used, (following.turn.seq, following.begins))
    cut, text = _cut(following, max_tokens, openings)
    goes_on = (cut.turn.seq, cut.ends) if cut.ends < cut.length else None
    if goes_on is None and len(pieces) > 1:
        goes_on = (pieces[1].turn.seq, 0)
    return Page(text, (cut.turn,), estimate_tokens(text), goes_on)


def _parts(pieces: Sequence[TurnPiece], openings: Openings) -> list[str]:
    """Render each piece, with a day line before the first piece of each day."""
    days = day_lines([whole(piece.turn) for piece in pieces])
    return [
        day
        + closed_line(
            turn_opening(piece.turn)
            + (GOES_ON if piece.begins else "")
            + guarded(shown_words(whole(piece.turn)), openings)
        )
        for piece, day in zip(pieces, days, strict=True)
    ]


def _cut(piece: TurnPiece, max_tokens: int | None, openings: Openings) -> tuple[TurnPiece, str]:
    """Cut a piece to the room there is, without its speaker if both do not fit."""
    if max_tokens is None:
        return piece, _spoken(piece, openings)
    for form in (partial(_spoken, openings=openings), partial(_bare, openings=openings)):
        if size := _longest(piece, max_tokens, form):
            cut = piece.shortened(size)
            return cut, form(cut)
    cut = piece.shortened(1)
    return cut, _bare(cut, openings)


def _longest(piece: TurnPiece, max_tokens: int, form: Callable[[TurnPiece], str]) -> int:
    """Code points of a piece that fit; 0 when none do."""
    words = piece.turn.content

    def tokens_at(size: int) -> int:
        return estimate_tokens(form(piece.shortened(len(head_of(words, size)))))

    size = longest_within(len(words), max_tokens, tokens_at)
    if not size:
        # The search may have stopped above a small size that fits; a code point seldom costs more than two tokens.
        size = next((few for few in (max_tokens // 4, 1) if 0 < few <= len(words) and tokens_at(few) <= max_tokens), 0)
    return len(head_of(words, size))


def _spoken(piece: TurnPiece, openings: Openings) -> str:
    return _parts([piece], openings)[0]


def _bare(piece: TurnPiece, openings: Openings) -> str:
    words = guarded(piece.turn.content, openings)
    return INDENT + words if imitates(words, openings) else words
