"""A context for display: coloured pieces with expandable markers, a stacked bar, its account."""

from __future__ import annotations

from typing import NamedTuple

from turnfold import Context
from turnfold_gateway.ui.views.bars import Bar, stacked
from turnfold_gateway.ui.views.kinds import PARTS, Kind, part_of
from turnfold_gateway.ui.views.words import Run, clipped, runs_with_markers

PIECE_CHARACTERS = 60_000
"""Code points shown of one piece."""


class ShownPiece(NamedTuple):
    """A piece of the text that belongs to one part."""

    part: Kind
    runs: tuple[Run, ...]
    hidden: int


class PartRow(NamedTuple):
    """A part with its share of the budget, in tokens."""

    part: Kind
    asked: int
    got: int
    used: int


class ContextView(NamedTuple):
    """Everything that the page shows of a context."""

    context: Context
    pieces: tuple[ShownPiece, ...]
    bar: tuple[Bar, ...]
    parts: tuple[PartRow, ...]
    coverage: tuple[Bar, ...]
    """Ranges of turns from the first to the last; `kind` is how they are shown."""


def view_of(context: Context) -> ContextView:
    """Return a context with everything that is drawn of it."""
    pieces = []
    for piece in context.pieces:
        clip = clipped(piece.text, PIECE_CHARACTERS)
        pieces.append(ShownPiece(part_of(piece.part), runs_with_markers(clip.text, context.markers), clip.hidden))
    return ContextView(context, tuple(pieces), bar_of(context), _parts(context), _coverage(context))


def bar_of(context: Context) -> tuple[Bar, ...]:
    """Return the parts as shares of the budget, in the order of the legend."""
    used = {part.name: part.used for part in context.report.parts}
    named = [name for name in PARTS if name in used] + [name for name in used if name not in PARTS]
    return stacked([(name, used[name]) for name in named], context.report.budget_tokens)


def _parts(context: Context) -> tuple[PartRow, ...]:
    rows = {part.name: PartRow(part_of(part.name), part.asked, part.got, part.used) for part in context.report.parts}
    return tuple(rows[name] for name in PARTS if name in rows and (rows[name].used or rows[name].asked))


def _coverage(context: Context) -> tuple[Bar, ...]:
    coverage = context.coverage
    if coverage is None:
        return ()
    spans = [(f"level-{span.level}", span.last_seq - span.first_seq + 1) for span in coverage.spans]
    return stacked(spans, coverage.last_seq)
